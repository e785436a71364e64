import type { SpanPages } from "../../interfaces.js";
import type { StoredSpan } from "../../span/stored-span.js";

/** JSON of a page, unless it is a single span. */
const PAGE_BYTES = 256 * 1024;

/** Divides the spans of a trace into pages. */
export function spanPages(spans: readonly StoredSpan[], signal: AbortSignal | undefined): SpanPages {
  return {
    async *[Symbol.asyncIterator]() {
      for (let from = 0; from < spans.length;) {
        signal?.throwIfAborted();
        const to = endOfPage(spans, from);
        yield from === 0 && to === spans.length ? spans : spans.slice(from, to);
        from = to;
      }
    },
  };
}

function endOfPage(spans: readonly StoredSpan[], from: number): number {
  let bytes = 0;
  for (let at = from; at < spans.length; at++) {
    const { start, end } = (spans[at] as StoredSpan).slice;
    bytes += end - start;
    if (bytes > PAGE_BYTES && at > from) return at;
  }
  return spans.length;
}
