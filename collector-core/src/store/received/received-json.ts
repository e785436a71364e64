import { findSpanSlices } from "../../span/json-slices.js";
import { findBatchSplices, findSplices, type JsonSplice, type SplicedJson } from "../../span/json-splices.js";
import { originOf, type BatchBytes, type PipelineSpan } from "../../span/pipeline-span.js";

/** Builds the JSON to store from received bytes: changes made by stages are spliced in. */
export class ReceivedJson {
  /** The slices of spans by body: a batch may arrive in several calls. */
  readonly #slicesOfBodies = new WeakMap<Buffer, { readonly found: Int32Array | undefined }>();

  /**
   * The JSON of a whole batch; undefined if `spans` lacks some of its spans, or the changes cannot be spliced in.
   *
   * @param allowGeneratedIds - true if the caller keeps generated ids beside the JSON. Default: undefined for a batch with one.
   */
  ofBatch(
    spans: readonly PipelineSpan[],
    from: number,
    batch: BatchBytes,
    allowGeneratedIds = false,
  ): SplicedJson | undefined {
    const { body, spanCount } = batch;
    let isChanged = false;
    for (let index = 0; index < spanCount; index++) {
      const span = spans[from + index];
      if (span === undefined) return undefined;
      const origin = originOf(span);
      if (origin.batch !== batch || origin.index !== index) return undefined;
      if (origin.generatedSpanId !== undefined && !allowGeneratedIds) return undefined;
      isChanged ||= span.span !== origin.received;
    }
    const splices = isChanged ? splicesOfBatch(body, spans.slice(from, from + spanCount)) : [];
    return splices && { bytes: body, start: 0, end: body.length, splices };
  }

  /** The JSON of one span; undefined if the scan cannot find it in the batch, or the changes cannot be spliced in. */
  ofSpan(pipelineSpan: PipelineSpan): SplicedJson | undefined {
    const { batch, index, received } = originOf(pipelineSpan);
    if (batch === undefined) return undefined;
    const { body } = batch;
    const slices = this.#slicesOf(batch);
    const start = slices?.[index * 2];
    const end = slices?.[index * 2 + 1];
    if (start === undefined || end === undefined) return undefined;
    const { span } = pipelineSpan;
    const splices = span === received ? [] : findSplices(body, start, received, span);
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
  const before = spans.map((span) => originOf(span).received);
  const after = spans.map(({ span }) => span);
  return findBatchSplices(body, before, after);
}
