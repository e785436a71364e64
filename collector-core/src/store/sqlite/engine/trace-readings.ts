import type { TraceSummary } from "../../../api-schema/trace.js";
import { ApiError } from "../../../api-schema/errors.js";
import type { SpanHasher } from "../../../hashing/span-hashes.js";
import type { TraceKey } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import type { Instant } from "../../../span/timestamp.js";
import { remainsOf } from "../../traces/restored-trace.js";
import { ABANDONED_AFTER_MS } from "../../traces/span-rows.js";
import type { OpenedTrace, SpanPage } from "../thread/storage-engine.js";
import { recordedFacts, type RecordedSpan } from "./buffered-span.js";
import { readRecordedSpan, type ChunkReader, type SpanInRecord } from "./chunk-reader.js";
import type { FileWriter } from "./file-writer.js";
import type { OpenReadings, Reading } from "./open-readings.js";
import { SpanPageBuilder } from "./span-pages.js";
import { chunksOf, type PlacedSpan } from "./span-places.js";
import type { StoredTraceRow, TraceTables } from "./trace-tables.js";

/** Options of {@link TraceReadings}. */
export interface TraceReadingsOptions {
  readonly file: FileWriter;
  /** Those of an earlier store on the same file go on. */
  readonly readings: OpenReadings;
  readonly tables: TraceTables;
  readonly reader: ChunkReader;
  readonly hasher: SpanHasher;
  readonly clock: Pick<Clock, "monotonic">;
  /** Store time. */
  readonly nowMs: () => number;
  /** Finds a trace, with everything that has arrived. */
  readonly find: (key: TraceKey) => StoredTraceRow | undefined;
  readonly summaryOf: (sequence: number) => TraceSummary | undefined;
}

/** Reads the spans of single traces. */
export class TraceReadings {
  readonly #options: TraceReadingsOptions;
  /** The oldest trace, whose first span was read. */
  #oldest: { readonly sequence: number; readonly arrivedAtMs: number | null } = {
    sequence: 0,
    arrivedAtMs: null,
  };

  constructor(options: TraceReadingsOptions) {
    this.#options = options;
    for (const { chunks } of options.readings.all()) options.file.holdChunks(chunks);
  }

  open(key: TraceKey): OpenedTrace | undefined {
    const { file, find, summaryOf, readings } = this.#options;
    const row = find(key);
    const summary = row && summaryOf(row.sequence);
    if (row === undefined || summary === undefined) return undefined;
    const { places } = row;
    const byArrival = [...places.spans, ...places.evaluations].sort((a, b) => a.arrival - b.arrival);
    const chunks = chunksOf(places);
    file.holdChunks(chunks);
    const remains = remainsOf(row.state);
    const hasDropped = remains?.dropped !== undefined;
    return { reading: readings.add({ chunks, hasDropped, byArrival, byStart: undefined }), summary, remains };
  }

  /** The next spans of a trace. @param from - position in that order. */
  async page(
    id: number,
    order: "start" | "arrival",
    from: number,
    signal: AbortSignal,
  ): Promise<SpanPage & { next: number | null }> {
    const reading = this.#options.readings.get(id);
    if (reading === undefined) throw deleted();
    const places =
      order === "arrival"
        ? reading.byArrival
        : (reading.byStart ??= await this.#sortByStart(reading, signal));
    const builder = new SpanPageBuilder();
    const timeSlice = new TimeSlice(this.#options.clock, signal);
    let at = from;
    for (; at < places.length && !builder.isFull; at++) {
      const place = places[at] as PlacedSpan;
      const found = this.#findStored(place);
      if (found !== undefined) {
        const isWrapper = reading.hasDropped && isKnownWrapper(found, place);
        if (!builder.add(found, { isAbandoned: this.#isAbandoned(place), isWrapper })) break;
      }
      if (timeSlice.isOver()) await timeSlice.next();
    }
    return { ...builder.build(), next: at < places.length ? at : null };
  }

  close(id: number): void {
    const { readings, file } = this.#options;
    const reading = readings.get(id);
    if (reading === undefined) return;
    readings.delete(id);
    file.releaseChunks(reading.chunks);
  }

  /** A span of a reading; undefined if its chunk cannot be read. @throws ApiError if it was removed. */
  #findStored(place: PlacedSpan): SpanInRecord | undefined {
    const found = this.#options.reader.find(place);
    if (found?.record.isOmitted(found.index) === true) throw deleted();
    return found;
  }

  /** Finds a span by its id. */
  find(
    key: TraceKey,
    spanId: string,
  ): { found: SpanInRecord; span: RecordedSpan; place: PlacedSpan } | undefined {
    const { hasher, reader } = this.#options;
    const row = this.#options.find(key);
    if (row === undefined) return undefined;
    const { lo } = hasher.span(hasher.trace(key.tenant, key.traceId), spanId);
    const { spans, evaluations } = row.places;
    for (const place of [...spans, ...evaluations]) {
      if (place.idHash !== lo) continue;
      const found = reader.find(place);
      const span = found && readRecordedSpan(found);
      if (found === undefined || span === undefined) continue;
      if ((span.generatedSpanId ?? span.span.span_id) === spanId) return { found, span, place };
    }
    return undefined;
  }

  span(key: TraceKey, spanId: string): SpanPage | undefined {
    const match = this.find(key, spanId);
    if (match === undefined) return undefined;
    const builder = new SpanPageBuilder();
    const { found, place } = match;
    builder.add(found, { isAbandoned: this.#isAbandoned(place), isWrapper: isKnownWrapper(found, place) });
    return builder.build();
  }

  /** Wall clock at the arrival of the oldest trace; null without one, or if its first span cannot be read. */
  oldestAtMs(): number | null {
    const [sequence] = this.#options.tables.oldest(1);
    if (sequence === undefined) return null;
    if (sequence !== this.#oldest.sequence)
      this.#oldest = { sequence, arrivedAtMs: this.#arrivalOf(sequence) };
    return this.#oldest.arrivedAtMs;
  }

  /** Wall clock at the arrival of the first stored span of a trace; null if it cannot be read. */
  #arrivalOf(sequence: number): number | null {
    const row = this.#options.tables.read(sequence);
    if (row === undefined) return null;
    const { spans, evaluations } = row.places;
    let arrivedAtMs: number | null = null;
    for (const place of [spans[0], evaluations[0]]) {
      const found = place && this.#options.reader.find(place);
      if (found === undefined) continue;
      const { receivedAtMs } = found.record.contextOf(found.index);
      arrivedAtMs = Math.min(arrivedAtMs ?? receivedAtMs, receivedAtMs);
    }
    return arrivedAtMs;
  }

  async #sortByStart({ byArrival }: Reading, signal: AbortSignal): Promise<PlacedSpan[]> {
    const timeSlice = new TimeSlice(this.#options.clock, signal);
    const starts: { place: PlacedSpan; start: Instant }[] = [];
    for (const place of byArrival) {
      const found = this.#findStored(place);
      const recorded = found && readRecordedSpan(found);
      if (recorded !== undefined) starts.push({ place, start: recordedFacts(recorded).start });
      if (timeSlice.isOver()) await timeSlice.next();
    }
    return starts
      .sort(
        (a, b) =>
          a.start.epochMs - b.start.epochMs ||
          a.start.nanos - b.start.nanos ||
          a.place.arrival - b.place.arrival,
      )
      .map(({ place }) => place);
  }

  #isAbandoned({ seenMs }: PlacedSpan): boolean {
    return seenMs !== undefined && this.#options.nowMs() - seenMs >= ABANDONED_AFTER_MS;
  }
}

/** True for an llm span that is a wrapper even if its trace has no inner call, because the span cap dropped that. */
function isKnownWrapper(found: SpanInRecord, place: PlacedSpan): boolean {
  if (!place.isWrapper && found.record.countsUsage(found.index)) return false;
  const recorded = readRecordedSpan(found);
  return recorded !== undefined && recordedFacts(recorded).spanType === "llm";
}

function deleted(): ApiError {
  return new ApiError("trace_not_found", "The trace was deleted while it was read.");
}
