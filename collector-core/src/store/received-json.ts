import type { BatchBytes, PipelineSpan } from "../interfaces.js";
import { findSpanSlices } from "../span/json-slices.js";
import { findBatchSplices, findSplices, type JsonSplice, type SplicedJson } from "../span/json-splices.js";

/**
 * The bytes that spans came in, as the store may keep them: where redaction changed a span, what changed is put in its
 * place.
 */
export class ReceivedJson {
  /** Where the spans are in a body: a batch may come in parts. */
  readonly #slicesOfBodies = new WeakMap<Buffer, { readonly found: Int32Array | undefined }>();

  /** A whole batch; undefined where not all of its spans follow in `spans`, or its bytes cannot say what they are. */
  ofBatch(spans: readonly PipelineSpan[], from: number, source: BatchBytes): SplicedJson | undefined {
    const { body, spanCount } = source;
    let isChanged = false;
    for (let index = 0; index < spanCount; index++) {
      const span = spans[from + index];
      if (span?.source !== source || span.index !== index || span.madeSpanId !== undefined) return undefined;
      isChanged ||= span.redactedFrom !== undefined;
    }
    const splices = isChanged ? splicesOfBatch(body, spans.slice(from, from + spanCount)) : [];
    return splices && { bytes: body, start: 0, end: body.length, splices };
  }

  /** One span; undefined where the bytes do not tell the spans of the batch apart plainly, or cannot say what it is. */
  ofSpan({ source, index, redactedFrom, span }: PipelineSpan): SplicedJson | undefined {
    if (source === undefined) return undefined;
    const { body } = source;
    const slices = this.#slicesOf(source);
    const start = slices?.[index * 2];
    const end = slices?.[index * 2 + 1];
    if (start === undefined || end === undefined) return undefined;
    const splices = redactedFrom === undefined ? [] : findSplices(body, start, redactedFrom, span);
    return splices && { bytes: body, start, end, splices };
  }

  #slicesOf({ body, spanCount }: BatchBytes): Int32Array | undefined {
    let slices = this.#slicesOfBodies.get(body);
    if (slices === undefined) {
      slices = { found: findSpanSlices(body, spanCount) };
      this.#slicesOfBodies.set(body, slices);
    }
    return slices.found;
  }
}

function splicesOfBatch(body: Buffer, spans: readonly PipelineSpan[]): JsonSplice[] | undefined {
  const before = spans.map(({ redactedFrom, span }) => redactedFrom ?? span);
  const after = spans.map(({ span }) => span);
  return findBatchSplices(body, before, after);
}
