import type { Span } from "@obspan/sdk/wire";
import { hashNumber, type Hash64 } from "../../../hashing/seeded-hash.js";
import type { SpanHasher } from "../../../hashing/span-hashes.js";
import type { RestoredTrace, TraceKey } from "../../../interfaces.js";
import { originOf, type PipelineSpan } from "../../../span/pipeline-span.js";
import { isUsableSpanId } from "../../../span/span-facts.js";
import { traceKeyText } from "../../../span/trace-key-text.js";
import { SpanCaps } from "../../memory/span-caps.js";
import { TraceWriter } from "../../memory/trace-writer.js";
import type { SpanLabels } from "../../traces/span-labels.js";
import { NO_ROW } from "../../traces/span-table.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import { summarizeTrace } from "../../traces/trace-summary.js";
import { SqlError } from "../driver/sqlite-driver.js";
import type { BatchRecord } from "../records/batch-record.js";
import { bufferedSpan, recordedFacts, type RecordedSpan } from "./buffered-span.js";
import { recordedSpan } from "./chunk-reader.js";
import type { ChunkWriter } from "./chunk-writer.js";
import type { EvictedKeys, EvictedTrace } from "./evicted-keys.js";
import type { FileWriter } from "./file-writer.js";
import type { SpanPlace } from "./span-places.js";
import type { TraceBuffer } from "./trace-buffer.js";
import type { StoredTraceRow, TraceTables } from "./trace-tables.js";

/** Spans of a record that are written at once. */
const SPANS_PER_WRITE = 1000;

/** A record with its spans; null for removed ones. */
export interface ParsedRecord {
  readonly record: BatchRecord;
  readonly spans: readonly (Span | null)[];
}

/** Spans of a record. */
interface SpansBeingWritten {
  readonly chunk: number;
  /** The index of the span that is being written. */
  at: number;
  readonly ordinals: number[];
  readonly spans: RecordedSpan[];
}

/** How a rebuild adds the spans of a record that the file has. */
export interface Replay {
  /** Store time of the record. */
  readonly atMs: number;
  /** The sequence of the next trace that is created. */
  readonly takeSequence: () => number;
  /** True for a span that is left out. */
  readonly isLeftOut: (key: TraceKey, place: SpanPlace) => boolean;
  /** Called for each span that is left out, after the spans before it were added. */
  readonly leaveOut: (key: TraceKey, place: SpanPlace) => void;
}

/** Options of {@link SpanIndexer}. */
export interface SpanIndexerOptions {
  readonly buffer: TraceBuffer;
  readonly tables: Pick<TraceTables, "find" | "read">;
  readonly evicted: EvictedKeys;
  readonly file: Pick<FileWriter, "changed" | "addEvaluation">;
  readonly writer: ChunkWriter;
  readonly hasher: SpanHasher;
  /** Store time. */
  readonly nowMs: () => number;
  /** `trace_store.max_spans_per_trace`. */
  readonly maxSpansPerTrace: number;
  /** Called before a trace is created. */
  readonly makeRoomForTrace: () => void;
  readonly onTraceAdded: () => void;
}

/** Adds the spans of records to their traces, which come back from the file for it. */
export class SpanIndexer {
  readonly #options: SpanIndexerOptions;
  readonly #caps: SpanCaps;
  readonly #traceWriter: TraceWriter;
  /** The spans that are being written, and where the file has them; undefined between two writes. */
  #writing: SpansBeingWritten | undefined;
  /** What is remembered of the trace of the span that is being written, once it was looked up. */
  #remembered: { readonly evicted: EvictedTrace | undefined } | undefined;
  /** Set while a rebuild adds spans. */
  #replay: Replay | undefined;
  /** What a rebuild dropped, which was counted when it was dropped first. */
  readonly #replayed = { dropped: 0, lateEvaluations: 0 };
  /** Keys that were looked for in the file and not found, during {@link addAll}. */
  readonly #absent = new Set<string>();
  /** Labels of whole traces, for their evaluations. They are computed from all spans, once until a span arrives. */
  readonly #labelsOfTraces = new WeakMap<TraceRecord, NonNullable<RecordedSpan["labels"]>>();

  constructor(options: SpanIndexerOptions) {
    this.#options = options;
    const { buffer, maxSpansPerTrace } = options;
    this.#caps = new SpanCaps({ spans: buffer.spans, traces: buffer.traces, maxSpansPerTrace });
    this.#traceWriter = this.#createTraceWriter();
  }

  #createTraceWriter(): TraceWriter {
    const { buffer, file, makeRoomForTrace, onTraceAdded } = this.#options;
    const { traces, spans } = buffer;
    return new TraceWriter({
      spans,
      clock: { monotonic: () => this.#nowMs() },
      caps: this.#caps,
      room: { makeRoomForTrace, makeRoomForBytes: () => undefined },
      traces: {
        find: (key, hash) => {
          // Called once for each span, in order.
          if (this.#writing !== undefined) this.#writing.at++;
          this.#remembered = undefined;
          return traces.get(key, hash) ?? this.#load(key);
        },
        wasEvicted: (hash) => this.#remember(hash) !== undefined,
        create: (key, hash, isPartial, nowMs) =>
          this.#replay === undefined
            ? traces.create(key, hash, isPartial, nowMs)
            : traces.restore(key, hash, this.#replay.takeSequence(), isPartial, nowMs),
        added: (trace) => {
          traces.add(trace);
          onTraceAdded();
          file.changed(trace);
          // An imported trace may have been evicted before, although it is not late.
          for (const chunk of this.#remember(trace)?.chunks ?? []) buffer.touch(trace, chunk);
        },
        // The row of the trace has its session.
        namedSession: () => undefined,
        charge: (bytes) => traces.charge(bytes),
        changed: (trace, nowMs) => {
          traces.touch(trace, nowMs);
          file.changed(trace);
        },
      },
      onWritten: (trace, row, index) => this.#written(trace, row, index),
    });
  }

  /** Spans that the cap dropped as they arrived. */
  get dropped(): number {
    return this.#caps.dropped - this.#replayed.dropped;
  }

  /** Evaluations that arrived after their trace was evicted. */
  get lateEvaluations(): number {
    return this.#traceWriter.lateEvaluations - this.#replayed.lateEvaluations;
  }

  /** The place of the span that is being written, or of the next one. */
  get place(): SpanPlace {
    const writing = this.#writing;
    if (writing === undefined) return this.#options.writer.nextPlace;
    return { chunk: writing.chunk, ordinal: writing.ordinals[writing.at] as number };
  }

  /**
   * Adds the spans of records to their traces.
   *
   * @param addToChunk - puts a record into a chunk, just before its spans are added.
   * @returns the number of spans that came back from the file.
   */
  addAll(parsed: readonly ParsedRecord[], addToChunk: (record: BatchRecord) => SpanPlace): number {
    const before = this.#options.buffer.spans.count;
    try {
      this.#loadTogether(parsed);
      const loaded = this.#options.buffer.spans.count - before;
      for (const each of parsed) this.#add(each, addToChunk(each.record));
      return loaded;
    } finally {
      this.#absent.clear();
    }
  }

  /** Adds the spans of a record that the file has, except those of evicted traces. */
  replay(parsed: ParsedRecord, place: SpanPlace, replay: Replay): void {
    const { dropped, lateEvaluations } = this;
    this.#replay = replay;
    try {
      this.#add(parsed, place);
    } finally {
      this.#replay = undefined;
      this.#replayed.dropped += this.dropped - dropped;
      this.#replayed.lateEvaluations += this.lateEvaluations - lateEvaluations;
    }
  }

  /**
   * Loads the traces of these spans that are only in the file. One by one, late spans of hundreds of traces would read the
   * chunks that these share hundreds of times.
   */
  #loadTogether(parsed: readonly ParsedRecord[]): void {
    try {
      this.#options.buffer.loadTogether(this.#rowsInFileOnly(parsed));
    } catch (error) {
      // Adding the spans meets the same damage, with their records in the chunk: they are not lost.
      if (!(error instanceof SqlError)) throw error;
    }
  }

  #rowsInFileOnly(parsed: readonly ParsedRecord[]): StoredTraceRow[] {
    const { buffer, tables } = this.#options;
    const rows = new Map<number, StoredTraceRow>();
    let last: TraceKey = { tenant: "", traceId: "" };
    for (const { record, spans } of parsed) {
      for (const [index, span] of spans.entries()) {
        if (span === null) continue;
        const { tenant } = record.contextOf(index);
        if (span.trace_id === last.traceId && tenant === last.tenant) continue;
        last = { tenant, traceId: span.trace_id };
        if (buffer.get(last) !== undefined) continue;
        const sequence = tables.find(last);
        if (sequence === undefined) this.#absent.add(traceKeyText(last));
        else if (!rows.has(sequence)) {
          const row = tables.read(sequence);
          if (row !== undefined) rows.set(sequence, row);
        }
      }
    }
    return [...rows.values()];
  }

  #load(key: TraceKey): TraceRecord | undefined {
    if (this.#absent.size > 0 && this.#absent.has(traceKeyText(key))) return undefined;
    const { buffer, tables } = this.#options;
    const sequence = tables.find(key);
    const row = sequence === undefined ? undefined : tables.read(sequence);
    return row && buffer.load(row);
  }

  #add({ record, spans }: ParsedRecord, { chunk, ordinal }: SpanPlace): void {
    let batch: PipelineSpan[] = [];
    let restored: RestoredTrace[] = [];
    let writing: SpansBeingWritten = { chunk, at: -1, ordinals: [], spans: [] };
    const write = (): void => {
      this.#writing = writing;
      this.#traceWriter.write(batch, { isImport: record.isImport, restored });
      this.#writing = undefined;
      for (const span of batch) this.#touch(span, chunk);
      batch = [];
      restored = [];
      writing = { chunk, at: -1, ordinals: [], spans: [] };
    };
    for (const [index, span] of spans.entries()) {
      if (span === null) continue;
      const recorded = recordedSpan(record, index, span);
      const place = { chunk, ordinal: ordinal + index };
      if (this.#replay !== undefined) {
        const key = { tenant: recorded.context.tenant, traceId: span.trace_id };
        if (this.#isGone(key, place)) continue;
        if (this.#replay.isLeftOut(key, place)) {
          write();
          this.#replay.leaveOut(key, place);
          continue;
        }
      }
      batch.push(bufferedSpan(recorded, this.#options.hasher));
      const remains = record.remainsOf(index);
      if (remains !== undefined)
        restored.push({ tenant: recorded.context.tenant, traceId: span.trace_id, remains });
      writing.ordinals.push(place.ordinal);
      writing.spans.push(recorded);
      if (batch.length === SPANS_PER_WRITE) write();
    }
    write();
  }

  /** True if the trace of a span was evicted after the span had arrived. */
  #isGone({ tenant, traceId }: TraceKey, { chunk, ordinal }: SpanPlace): boolean {
    const { evicted, hasher } = this.#options;
    const before = evicted.find(hasher.trace(tenant, traceId))?.before;
    if (before === undefined) return false;
    return chunk < before.chunk || (chunk === before.chunk && ordinal < before.ordinal);
  }

  /** Remembers that the chunk has a span of the trace, stored or not. */
  #touch(span: PipelineSpan, chunk: number): void {
    const { buffer, evicted } = this.#options;
    const { facts, context } = span;
    const hash = originOf(span).hashes.trace;
    const trace = buffer.traces.get({ tenant: context.tenant, traceId: facts.traceId }, hash);
    if (trace !== undefined) buffer.touch(trace, chunk);
    else evicted.addChunk(hash, chunk);
  }

  #written(trace: TraceRecord, row: number, index: number): void {
    const writing = this.#writing;
    const recorded = writing?.spans[index];
    if (writing === undefined || recorded === undefined) return;
    const { buffer, file } = this.#options;
    buffer.spans.setPlaceInFile(row, writing.chunk, writing.ordinals[index] as number);
    if (recorded.span.span_type !== "evaluation") this.#labelsOfTraces.delete(trace);
    // The file keeps its evaluations when it is rebuilt, also those of evicted traces.
    if (recorded.span.span_type !== "evaluation" || this.#replay !== undefined) return;
    const { span, context, generatedSpanId, labels = this.#evaluatedLabels(trace, recorded) } = recorded;
    file.addEvaluation({
      traceHash: hashNumber(trace),
      endedMs: this.#nowMs(),
      json: JSON.stringify({
        span: generatedSpanId === undefined ? span : { ...span, span_id: generatedSpanId },
        context,
        labels,
      }),
    });
  }

  /** Model and agent of what was evaluated, for an evaluation without its own. It is shown when its trace is gone. */
  #evaluatedLabels(trace: TraceRecord, recorded: RecordedSpan): RecordedSpan["labels"] {
    const { model, agent, parentSpanId } = recordedFacts(recorded);
    if (model !== "" || agent !== "") return undefined;
    const { buffer, hasher, nowMs } = this.#options;
    const givenId = recorded.span.attributes?.["evaluated_span_id"];
    const spanId = isUsableSpanId(givenId) ? givenId : parentSpanId;
    if (spanId !== "") {
      const row = buffer.spans.find(trace, hasher.span(trace, spanId));
      return row === NO_ROW ? undefined : modelAndAgent(buffer.spans.labels(row));
    }
    if (trace.spanCount === 0) return undefined;
    let labels = this.#labelsOfTraces.get(trace);
    if (labels === undefined) {
      const summary = summarizeTrace(trace, buffer.spans, nowMs());
      labels = { model: summary.models[0] ?? "", agent: summary.agent ?? "" };
      this.#labelsOfTraces.set(trace, labels);
    }
    return labels;
  }

  #remember(hash: Hash64): EvictedTrace | undefined {
    this.#remembered ??= { evicted: this.#options.evicted.find(hash) };
    return this.#remembered.evicted;
  }

  #nowMs(): number {
    return this.#replay?.atMs ?? this.#options.nowMs();
  }
}

function modelAndAgent({ model, agent }: SpanLabels): { readonly model: string; readonly agent: string } {
  return { model, agent };
}
