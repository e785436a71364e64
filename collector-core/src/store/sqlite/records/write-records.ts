import type { AppendOptions, RestoredTrace } from "../../../interfaces.js";
import { appendAll } from "../../../runtime/append-all.js";
import { copySpliced, splicedLength, type JsonSplice, type SplicedJson } from "../../../span/json-splices.js";
import { originOf, type PipelineSpan } from "../../../span/pipeline-span.js";
import type { BatchContext } from "../../../span/span-facts.js";
import type { TraceRemains } from "../../../span/trace-remains.js";
import { ReceivedJson } from "../../received/received-json.js";
import {
  bitBytes,
  BODY_END,
  BODY_START,
  CONTEXT_HEADER_BYTES,
  HEADER_BYTES,
  RECORD_FLAG,
  setBit,
  writeContext,
  writeHeader,
  type ContextTexts,
  type SpanNote,
} from "./record-layout.js";

/** A record of more JSON holds one span. Bounds what is parsed to read one span. */
const MAX_BODY_BYTES = 64 * 1024;
const COMMA = 0x2c;

/** Memory that records are written to. */
export interface RecordSink {
  /** The buffer of the last reservation. */
  readonly buffer: Buffer;
  /** Reserves bytes for one record. @returns their offset in {@link buffer}. */
  reserve(bytes: number, spans: number): number;
}

/** The JSON of consecutive spans: received bytes, or text if there are none. */
type Piece = SplicedJson | { readonly text: string; readonly byteLength: number };

/** Consecutive spans of one batch. */
interface RunPiece extends SplicedJson {
  end: number;
  readonly splices: JsonSplice[];
  /** The index in the batch of the span that may follow. */
  nextIndex: number;
}

/** Body of a record. */
interface Body {
  readonly pieces: readonly Piece[];
  /** False if the one piece is the JSON of a whole batch. */
  readonly isArray: boolean;
  readonly byteLength: number;
  readonly spanCount: number;
}

/**
 * Writes spans as records: a batch that came whole keeps its received bytes, with the changes of stages spliced in. Spans
 * of other batches are copied one by one, so that the bytes of a span that is not stored are not written. Nothing refers to
 * the spans afterwards.
 */
export class RecordWriter {
  readonly #received = new ReceivedJson();
  readonly #context = new ContextWriter();

  /** Writes the spans in order. The first span of each restored trace has its remains. */
  write(
    spans: readonly PipelineSpan[],
    { isImport = false, restored = [] }: AppendOptions,
    sink: RecordSink,
  ): void {
    const remains = restored.length === 0 ? undefined : new UnwrittenRemains(restored);
    for (let from = 0; from < spans.length;) {
      const body = this.#wholeBatch(spans, from) ?? this.#run(spans, from);
      this.#writeRecord(spans, from, body, { isImport, remains }, sink);
      from += body.spanCount;
    }
  }

  /** Bytes of the JSON of spans: what records of them have beside their contexts. */
  jsonBytesOf(spans: readonly PipelineSpan[]): number {
    return spans.reduce((bytes, span) => bytes + lengthOf(this.#received.ofSpan(span) ?? textPiece(span)), 0);
  }

  #wholeBatch(spans: readonly PipelineSpan[], from: number): Body | undefined {
    const first = spans[from];
    const batch = first && originOf(first).batch;
    if (batch === undefined) return undefined;
    if (batch.body.length > MAX_BODY_BYTES && batch.spanCount > 1) return undefined;
    const json = this.#received.ofBatch(spans, from, batch, true);
    if (json === undefined) return undefined;
    return { pieces: [json], isArray: false, byteLength: splicedLength(json), spanCount: batch.spanCount };
  }

  /** The spans up to the next batch, or until the record is full. */
  #run(spans: readonly PipelineSpan[], from: number): Body {
    const pieces: Piece[] = [];
    let byteLength = BODY_START.length + BODY_END.length;
    let index = from;
    /** The last piece, while the next span may follow in the same bytes. */
    let open: RunPiece | undefined;
    for (; index < spans.length; index++) {
      const span = spans[index] as PipelineSpan;
      const { batch, index: indexInBatch } = originOf(span);
      if (index > from && batch !== undefined && indexInBatch === 0) break;
      const json = this.#received.ofSpan(span);
      const piece = json ?? textPiece(span);
      const bytes = lengthOf(piece);
      if (index > from && byteLength + bytes + 1 > MAX_BODY_BYTES) break;
      if (json !== undefined && open?.bytes === json.bytes && open.nextIndex === indexInBatch) {
        // One copy for all, with what separates them.
        byteLength += json.start - open.end + bytes;
        open.end = json.end;
        open.nextIndex++;
        appendAll(open.splices, json.splices);
        continue;
      }
      byteLength += bytes + (pieces.length > 0 ? 1 : 0);
      open = json && { ...json, splices: [...json.splices], nextIndex: indexInBatch + 1 };
      pieces.push(open ?? piece);
    }
    return { pieces, isArray: true, byteLength, spanCount: index - from };
  }

  #writeRecord(
    spans: readonly PipelineSpan[],
    from: number,
    body: Body,
    { isImport, remains }: { readonly isImport: boolean; readonly remains: UnwrittenRemains | undefined },
    sink: RecordSink,
  ): void {
    const { spanCount } = body;
    const contexts = this.#context;
    contexts.reset();
    let notes: SpanNote[] | undefined;
    let uncounted = 0;
    let last: BatchContext | undefined;
    for (let index = 0; index < spanCount; index++) {
      const span = spans[from + index] as PipelineSpan;
      if (span.context !== last) contexts.add(index, (last = span.context));
      if (!span.countsUsage) uncounted++;
      const { generatedSpanId, batch } = originOf(span);
      const ofTrace = remains?.take(span);
      const isComputed = span.facts.costSource === "computed";
      if (generatedSpanId !== undefined || batch === undefined || ofTrace !== undefined || isComputed)
        (notes ??= []).push(noteOf(span, index, ofTrace));
    }
    const noteText = notes === undefined ? "" : JSON.stringify(notes);
    const noteBytes = notes === undefined ? 0 : Buffer.byteLength(noteText);
    const uncountedBytes = uncounted === 0 ? 0 : bitBytes(spanCount);
    const length = HEADER_BYTES + contexts.byteLength + uncountedBytes + noteBytes + body.byteLength;

    const start = sink.reserve(length, spanCount);
    const { buffer } = sink;
    const flags = (isImport ? RECORD_FLAG.isImport : 0) | (uncounted > 0 ? RECORD_FLAG.hasUncounted : 0);
    const header = { length, flags, spanCount, contextBytes: contexts.byteLength, noteBytes };
    let at = contexts.writeTo(buffer, writeHeader(buffer, start, header));
    if (uncountedBytes > 0) {
      buffer.fill(0, at, at + uncountedBytes);
      for (let index = 0; index < spanCount; index++) {
        if (spans[from + index]?.countsUsage === false) setBit(buffer, at, index);
      }
      at += uncountedBytes;
    }
    if (noteBytes > 0) at += buffer.write(noteText, at);
    writeBody(body, buffer, at);
  }
}

function noteOf(span: PipelineSpan, index: number, remains: TraceRemains | undefined): SpanNote {
  const { generatedSpanId = null, batch } = originOf(span);
  // The labels of a span that the collector created are those of the span that it is about.
  const labels = batch === undefined ? ([span.facts.model, span.facts.agent] as const) : undefined;
  const { costUsd, costSource } = span.facts;
  if (costUsd !== undefined && costSource === "computed")
    return [index, generatedSpanId, labels ?? null, remains ?? null, costUsd];
  if (remains !== undefined) return [index, generatedSpanId, labels ?? null, remains];
  return labels === undefined ? [index, generatedSpanId] : [index, generatedSpanId, labels];
}

/** What a file tells of traces, until the first span of each is written. */
class UnwrittenRemains {
  readonly #traces: RestoredTrace[];

  constructor(restored: readonly RestoredTrace[]) {
    this.#traces = [...restored];
  }

  /** The remains of the trace of a span, with its first span only. */
  take({ facts, context }: PipelineSpan): TraceRemains | undefined {
    const found = this.#traces.findIndex(
      ({ tenant, traceId }) => traceId === facts.traceId && tenant === context.tenant,
    );
    return found === -1 ? undefined : this.#traces.splice(found, 1)[0]?.remains;
  }
}

function textPiece({ span }: PipelineSpan): Piece {
  const text = JSON.stringify(span);
  return { text, byteLength: Buffer.byteLength(text) };
}

function lengthOf(piece: Piece): number {
  return "text" in piece ? piece.byteLength : splicedLength(piece);
}

function writeBody({ pieces, isArray }: Body, buffer: Buffer, start: number): void {
  let at = start;
  if (isArray) at += buffer.write(BODY_START, at, "latin1");
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) buffer[at++] = COMMA;
    if ("text" in piece) at += buffer.write(piece.text, at);
    else {
      copySpliced(piece, buffer, at);
      at += splicedLength(piece);
    }
  }
  if (isArray) buffer.write(BODY_END, at, "latin1");
}

/** Writes the contexts of a record. The texts of the last one are kept encoded: an app sends the same in each batch. */
class ContextWriter {
  byteLength = 0;

  readonly #from: number[] = [];
  readonly #receivedAtMs: number[] = [];
  readonly #texts: Buffer[] = [];
  #last: Pick<BatchContext, "tenant" | "service" | "env" | "version"> | undefined;
  #lastTexts = Buffer.alloc(0);

  reset(): void {
    this.byteLength = 0;
    this.#from.length = 0;
    this.#receivedAtMs.length = 0;
    this.#texts.length = 0;
  }

  /** Adds the context of the spans from an index on. */
  add(from: number, context: BatchContext): void {
    const texts = this.#encode(context);
    this.#from.push(from);
    this.#receivedAtMs.push(context.receivedAtMs);
    this.#texts.push(texts);
    this.byteLength += CONTEXT_HEADER_BYTES + texts.length;
  }

  /** @returns the end. */
  writeTo(buffer: Buffer, start: number): number {
    let at = start;
    for (let index = 0; index < this.#from.length; index++) {
      const receivedAtMs = this.#receivedAtMs[index] as number;
      at = writeContext(buffer, at, this.#from[index] as number, receivedAtMs, this.#texts[index] as Buffer);
    }
    return at;
  }

  #encode({ tenant, service, env, version }: BatchContext): Buffer {
    const last = this.#last;
    if (last?.service !== service || last.tenant !== tenant || last.env !== env || last.version !== version) {
      const texts: ContextTexts = [tenant, service, env, version ?? null];
      const encoded = JSON.stringify(texts);
      this.#lastTexts = Buffer.from(encoded);
      const [keptTenant, keptService, keptEnv, keptVersion] = JSON.parse(encoded) as ContextTexts;
      this.#last = {
        tenant: keptTenant,
        service: keptService,
        env: keptEnv,
        version: keptVersion ?? undefined,
      };
    }
    return this.#lastTexts;
  }
}
