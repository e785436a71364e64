import type { PageSpan, SpanPage } from "../thread/storage-engine.js";
import type { BatchContext } from "../../../span/span-facts.js";
import type { SpanInRecord } from "./chunk-reader.js";

/** JSON in a page, unless its only span is longer. */
const PAGE_BYTES = 256 * 1024;
const CLOSING_BRACE_BYTES = 1;

/** Collects copies of the JSON of spans. */
export class SpanPageBuilder {
  readonly #parts: Buffer[] = [];
  readonly #spans: PageSpan[] = [];
  readonly #contexts: BatchContext[] = [];
  readonly #contextIndexes = new Map<BatchContext, number>();
  #bytes = 0;

  /** True if the page takes no further span. */
  get isFull(): boolean {
    return this.#bytes >= PAGE_BYTES;
  }

  /** Adds a span, unless it was removed. @returns false if the page has no room for it. */
  add({ record, index }: SpanInRecord, state: Pick<PageSpan, "isAbandoned" | "isWrapper">): boolean {
    const json = record.jsonOf(index);
    if (json === undefined) return true;
    const length = json.end - json.start;
    if (this.#bytes > 0 && this.#bytes + length > PAGE_BYTES) return false;
    const start = this.#bytes;
    const generatedId = record.generatedSpanIdOf(index);
    const kept = generatedId === undefined ? json.end : json.end - CLOSING_BRACE_BYTES;
    this.#push(json.bytes.subarray(json.start, kept));
    // The id goes last: if the span has an unusable one, the last of two equal keys counts.
    if (generatedId !== undefined) this.#push(Buffer.from(`,"span_id":${JSON.stringify(generatedId)}}`));
    this.#spans.push({
      start,
      end: this.#bytes,
      context: this.#contextOf(record.contextOf(index)),
      computedCostUsd: record.computedCostOf(index),
      ...state,
    });
    return true;
  }

  #push(part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  #contextOf(context: BatchContext): number {
    const known = this.#contextIndexes.get(context);
    if (known !== undefined) return known;
    this.#contextIndexes.set(context, this.#contexts.length);
    return this.#contexts.push(context) - 1;
  }

  build(): SpanPage {
    // A memory of its own, which can be transferred.
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return { bytes: bytes.buffer, spans: this.#spans, contexts: this.#contexts };
  }
}
