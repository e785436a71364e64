import type { TraceKey } from "../../../interfaces.js";
import { appendAll } from "../../../runtime/append-all.js";
import type { PipelineSpan } from "../../../span/pipeline-span.js";
import type { SpanHasher } from "../../../hashing/span-hashes.js";
import { SpanStore } from "../../memory/span-store.js";
import { DroppedSpans } from "../../traces/dropped-spans.js";
import { FLAG, FLOAT, NO_ROW } from "../../traces/span-table.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import { TraceRegistry } from "../../traces/trace-registry.js";
import { bufferedSpan } from "./buffered-span.js";
import { readRecordedSpan, type ChunkReader } from "./chunk-reader.js";
import { chunksOf, type PlacedSpan, type TracePlaces } from "./span-places.js";
import type { StoredTraceRow, TraceOwner } from "./trace-tables.js";

/** Size of a segment: the buffer holds digests of spans, a few hundred bytes each. */
const SEGMENT_BYTES = 2 ** 18;

/** Spans that are read before their traces are loaded together: some tens of megabytes. */
const SPANS_PER_LOAD = 20_000;

/** What the file has of a trace in the buffer. */
export interface StoredState extends TraceOwner {
  readonly valueSet: number;
  /** Chunks that count the trace as live. */
  readonly chunks: ReadonlySet<number>;
  /** Stored spans. */
  readonly spans: number;
}

/** The traces that receive spans at the moment, with the rows of their spans. Others are only in the file. */
export class TraceBuffer {
  readonly traces = new TraceRegistry();
  readonly spans = new SpanStore(SEGMENT_BYTES, { take: () => undefined, release: () => undefined });
  /** What the file has of each trace; absent for a trace that was never written. */
  readonly stored = new Map<TraceRecord, StoredState>();
  /** All chunks with spans of each trace, also replaced and dropped ones, in order of arrival. */
  readonly #touched = new Map<TraceRecord, number[]>();
  readonly #chunks: ChunkReader;
  readonly #hasher: SpanHasher;

  constructor(chunks: ChunkReader, hasher: SpanHasher) {
    this.#chunks = chunks;
    this.#hasher = hasher;
  }

  /** Memory held. */
  get bytes(): number {
    return this.spans.bytes + this.traces.bytes;
  }

  /** The trace of a key, if it is in memory. */
  get({ tenant, traceId }: TraceKey): TraceRecord | undefined {
    return this.traces.get({ tenant, traceId }, this.#hasher.trace(tenant, traceId));
  }

  /** Brings a trace back from the file, as it was: with its sequence, its totals and what the span cap dropped. */
  load(row: StoredTraceRow): TraceRecord {
    return this.#load(row, (place) => this.#read(place));
  }

  /** Brings several traces back. Each chunk is read once for many of them: traces that ran together share chunks. */
  loadTogether(rows: readonly StoredTraceRow[]): void {
    let group: StoredTraceRow[] = [];
    let spans: PlacedSpan[] = [];
    const load = (): void => {
      const read = new Map<PlacedSpan, PipelineSpan | undefined>();
      for (const place of spans.sort((a, b) => a.chunk - b.chunk)) read.set(place, this.#read(place));
      for (const row of group) this.#load(row, (place) => read.get(place));
      group = [];
      spans = [];
    };
    for (const row of rows) {
      group.push(row);
      appendAll(spans, row.places.spans);
      appendAll(spans, row.places.evaluations);
      if (spans.length >= SPANS_PER_LOAD) load();
    }
    load();
  }

  #load(row: StoredTraceRow, read: (place: PlacedSpan) => PipelineSpan | undefined): TraceRecord {
    const { key, sequence, lastMs, valueSet, places } = row;
    const { isPartial, dropped, ...owner } = row.state;
    const hash = this.#hasher.trace(key.tenant, key.traceId);
    const trace = this.traces.restore(key, hash, sequence, isPartial, lastMs);
    trace.setOwner(owner);
    this.traces.add(trace);
    if (dropped !== undefined) {
      trace.dropped = dropped;
      this.traces.charge(DroppedSpans.BYTES);
    }
    for (const place of places.spans) this.#restoreSpan(trace, place, lastMs, read(place), false);
    for (const place of places.evaluations) this.#restoreSpan(trace, place, lastMs, read(place), true);
    trace.arrivals = places.arrivals;
    const chunks = chunksOf(places);
    // Also those that could not be read: the file counts them until the trace is written again.
    const count = places.spans.length + places.evaluations.length;
    this.stored.set(trace, { valueSet, chunks, spans: count, ...owner });
    const touched = new Set([...places.staleChunks, ...chunks]);
    this.#touched.set(
      trace,
      [...touched].sort((a, b) => a - b),
    );
    return trace;
  }

  #read(place: PlacedSpan): PipelineSpan | undefined {
    const found = this.#chunks.find(place);
    const recorded = found && readRecordedSpan(found);
    return recorded && bufferedSpan(recorded, this.#hasher);
  }

  /** Adds a span as it was, unless it could not be read. */
  #restoreSpan(
    trace: TraceRecord,
    place: PlacedSpan,
    lastMs: number,
    span: PipelineSpan | undefined,
    isEvaluation: boolean,
  ): void {
    if (span === undefined) return;
    trace.arrivals = place.arrival;
    const row = this.spans.add(trace, span, place.seenMs ?? lastMs);
    this.spans.setPlaceInFile(row, place.chunk, place.ordinal);
    if (place.isWrapper) this.spans.markAsWrapper(row);
    this.spans.link(trace, row, isEvaluation);
  }

  /** Records that a chunk has a span of the trace, stored or not. */
  touch(trace: TraceRecord, chunk: number): void {
    const touched = this.#touched.get(trace);
    if (touched === undefined) this.#touched.set(trace, [chunk]);
    else if (touched.at(-1) !== chunk) touched.push(chunk);
  }

  /** The newest chunk with a span of the trace, stored or not. */
  newestChunkOf(trace: TraceRecord): number {
    return this.#touched.get(trace)?.at(-1) ?? 0;
  }

  /** Where the file has the spans of a trace. */
  placesOf(trace: TraceRecord): TracePlaces {
    const spans = this.#placesFrom(trace.firstSpan);
    const evaluations = this.#placesFrom(trace.firstEvaluation);
    const live = chunksOf({ spans, evaluations });
    const stale = new Set(this.#touched.get(trace)?.filter((chunk) => !live.has(chunk)));
    const staleChunks = [...stale].sort((a, b) => a - b);
    return { arrivals: trace.arrivals, spans, evaluations, staleChunks };
  }

  #placesFrom(first: number): PlacedSpan[] {
    const places: PlacedSpan[] = [];
    for (let row = first; row !== NO_ROW; row = this.spans.next(row)) places.push(this.#placeOf(row));
    return places;
  }

  #placeOf(row: number): PlacedSpan {
    const flags = this.spans.flags(row);
    return {
      chunk: this.spans.chunkOf(row),
      ordinal: this.spans.ordinalOf(row),
      arrival: this.spans.arrival(row),
      idHash: this.spans.id(row).lo,
      isWrapper: (flags & FLAG.wrapper) !== 0,
      seenMs: (flags & FLAG.running) === 0 ? undefined : this.spans.float(row, FLOAT.seenAtMs),
    };
  }

  /** Drops a trace from memory. The file keeps what it has of it. */
  drop(trace: TraceRecord): void {
    this.traces.remove(trace);
    this.spans.removeAll(trace);
    if (trace.dropped !== undefined) this.traces.charge(-DroppedSpans.BYTES);
    this.stored.delete(trace);
    this.#touched.delete(trace);
  }
}
