import type { Span } from "@obspan/sdk/wire";

/** Spans that are stored together, and their JSON as a batch. */
export interface SpanGroup {
  readonly spans: readonly Span[];
  readonly body: Buffer;
}

/** Divides spans into groups of bounded size, and limits the size of all groups. */
export interface SpanGroups {
  /** The groups of some spans. A span is written when its group is requested. */
  of(spans: Iterable<Span>): Generator<SpanGroup>;
  /** Spans that are in no group, because the groups before them have the maximum size. */
  readonly refused: number;
}

/** Maximum number of spans in a group. */
const MAX_SPANS = 100;
/** A group of this many characters takes no further span. One span may be longer. */
const FULL_LENGTH = 256 * 1024;

/**
 * Creates the groups of one line of an import. A string cannot hold a resource of megabytes a hundred times, and the memory
 * cannot hold it either.
 *
 * @param maxLength - the characters after which further spans are refused.
 */
export function createSpanGroups(maxLength: number): SpanGroups {
  let lengthLeft = maxLength;
  let refused = 0;

  function* of(spans: Iterable<Span>): Generator<SpanGroup> {
    let group: Span[] = [];
    let texts: string[] = [];
    let length = 0;
    const take = (): SpanGroup => {
      const taken = { spans: group, body: Buffer.from(`{"spans":[${texts.join(",")}]}`) };
      group = [];
      texts = [];
      length = 0;
      return taken;
    };
    for (const span of spans) {
      if (lengthLeft <= 0) {
        refused++;
        continue;
      }
      const text = JSON.stringify(span);
      group.push(span);
      texts.push(text);
      length += text.length;
      lengthLeft -= text.length;
      if (group.length === MAX_SPANS || length >= FULL_LENGTH) yield take();
    }
    if (group.length > 0) yield take();
  }

  return {
    of,
    get refused() {
      return refused;
    },
  };
}
