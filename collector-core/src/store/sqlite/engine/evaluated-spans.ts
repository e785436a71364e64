import type { TraceSummary } from "../../../api-schema/trace.js";
import type { SpanHasher } from "../../../hashing/span-hashes.js";
import type { EvaluatedLabels, SpanReference, TraceKey } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import { truncateCodePoints } from "../../../span/kept-text.js";
import { readOutputPreview } from "../../../span/output-preview.js";
import { MAX_LABEL_LENGTH } from "../../../span/span-facts.js";
import { readScalars, type StoredSpan } from "../../../span/stored-span.js";
import { traceKeyText } from "../../../span/trace-key-text.js";
import { labelsOfSpan, labelsOfTrace } from "../../traces/evaluated-labels.js";
import { NO_ROW } from "../../traces/span-table.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import type { ChunkReader, SpanInRecord } from "./chunk-reader.js";
import type { PlacedSpan } from "./span-places.js";
import type { TraceBuffer } from "./trace-buffer.js";
import type { StoredTraceRow } from "./trace-tables.js";

const LABELS: ReadonlySet<string> = new Set(["model", "agent"]);

/** Options of {@link EvaluatedSpans}. */
export interface EvaluatedSpansOptions {
  readonly buffer: Pick<TraceBuffer, "spans">;
  readonly reader: ChunkReader;
  readonly hasher: SpanHasher;
  readonly clock: Pick<Clock, "monotonic">;
  /** Finds a trace that is in the buffer and not expired. */
  readonly findBuffered: (key: TraceKey) => TraceRecord | undefined;
  /** Finds a trace in the file, with everything that has arrived. */
  readonly find: (key: TraceKey) => StoredTraceRow | undefined;
  readonly summaryOf: (key: TraceKey) => TraceSummary | undefined;
}

/** A span that is asked for, or its trace, and the index of its answer. */
interface AskedSpan {
  readonly index: number;
  readonly spanId: string | null;
}

/** Reads what evaluations show of the spans that they score: many spans at a time, giving way to other work. */
export class EvaluatedSpans {
  readonly #options: EvaluatedSpansOptions;

  constructor(options: EvaluatedSpansOptions) {
    this.#options = options;
  }

  /**
   * Labels of spans and traces; undefined for what is not there. A trace that received an evaluation is in the buffer, with the
   * labels of its spans. The text of a span is read only if the trace has left the buffer since then.
   */
  async labelsOf(
    references: readonly SpanReference[],
    signal: AbortSignal,
  ): Promise<(EvaluatedLabels | undefined)[]> {
    const timeSlice = new TimeSlice(this.#options.clock, signal);
    return await this.#answerByTrace(references, timeSlice, async (key, spanIds) => {
      const labels = new Map<string | null, EvaluatedLabels>();
      const unbuffered: string[] = [];
      for (const spanId of spanIds) {
        const known = spanId === null ? this.#labelsOfTrace(key) : this.#bufferedLabels(key, spanId);
        if (known !== undefined) labels.set(spanId, known);
        else if (spanId !== null) unbuffered.push(spanId);
      }
      if (unbuffered.length === 0 || this.#options.findBuffered(key) !== undefined) return labels;
      for await (const { spanId, found, stored } of this.#read(key, unbuffered, timeSlice))
        labels.set(spanId, await readLabels(found, stored, timeSlice));
      return labels;
    });
  }

  /** Beginnings of the outputs of spans; undefined for what is not there, and for traces. */
  async outputPreviews(
    references: readonly SpanReference[],
    signal: AbortSignal,
  ): Promise<(string | null | undefined)[]> {
    const timeSlice = new TimeSlice(this.#options.clock, signal);
    return await this.#answerByTrace(references, timeSlice, async (key, spanIds) => {
      const previews = new Map<string | null, string | null>();
      const ofSpans = spanIds.filter((spanId) => spanId !== null);
      for await (const { spanId, stored } of this.#read(key, ofSpans, timeSlice))
        previews.set(spanId, await readOutputPreview(stored, timeSlice));
      return previews;
    });
  }

  /** Answers the references of each trace together, which reads the trace once. */
  async #answerByTrace<Answer>(
    references: readonly SpanReference[],
    timeSlice: TimeSlice,
    answer: (
      key: TraceKey,
      spanIds: readonly (string | null)[],
    ) => Promise<ReadonlyMap<string | null, Answer>>,
  ): Promise<(Answer | undefined)[]> {
    const byTrace = new Map<string, { readonly key: TraceKey; readonly asked: AskedSpan[] }>();
    for (const [index, reference] of references.entries()) {
      const text = traceKeyText(reference);
      const asked = { index, spanId: reference.spanId };
      const group = byTrace.get(text);
      if (group === undefined) byTrace.set(text, { key: reference, asked: [asked] });
      else group.asked.push(asked);
    }
    const answers = new Array<Answer | undefined>(references.length).fill(undefined);
    for (const { key, asked } of byTrace.values()) {
      if (timeSlice.isOver()) await timeSlice.next();
      const found = await answer(
        key,
        asked.map(({ spanId }) => spanId),
      );
      for (const { index, spanId } of asked) answers[index] = found.get(spanId);
    }
    return answers;
  }

  #labelsOfTrace(key: TraceKey): EvaluatedLabels | undefined {
    const summary = this.#options.summaryOf(key);
    return summary && labelsOfTrace(summary);
  }

  #bufferedLabels(key: TraceKey, spanId: string): EvaluatedLabels | undefined {
    const { buffer, hasher, findBuffered } = this.#options;
    const trace = findBuffered(key);
    const row = trace === undefined ? NO_ROW : buffer.spans.find(trace, hasher.span(trace, spanId));
    return row === NO_ROW ? undefined : labelsOfSpan(buffer.spans.labels(row));
  }

  /** Finds spans of a trace in the chunks. */
  async *#read(
    key: TraceKey,
    spanIds: readonly string[],
    timeSlice: TimeSlice,
  ): AsyncGenerator<{ readonly spanId: string; readonly found: SpanInRecord; readonly stored: StoredSpan }> {
    const { find, hasher, reader } = this.#options;
    const row = spanIds.length === 0 ? undefined : find(key);
    if (row === undefined) return;
    const hash = hasher.trace(key.tenant, key.traceId);
    const placesByHash = new Map<number, PlacedSpan[]>();
    for (const place of [...row.places.spans, ...row.places.evaluations]) {
      const same = placesByHash.get(place.idHash);
      if (same === undefined) placesByHash.set(place.idHash, [place]);
      else same.push(place);
    }
    for (const spanId of spanIds) {
      for (const place of placesByHash.get(hasher.span(hash, spanId).lo) ?? []) {
        if (timeSlice.isOver()) await timeSlice.next();
        const found = reader.find(place);
        const stored = found && storedSpan(found);
        if (found === undefined || stored === undefined) continue;
        const generatedId = found.record.generatedSpanIdOf(found.index);
        const foundId = generatedId ?? (await readScalars(stored, NO_ATTRIBUTES, timeSlice)).span_id;
        if (foundId !== spanId) continue;
        yield { spanId, found, stored };
        break;
      }
    }
  }
}

const NO_ATTRIBUTES: ReadonlySet<string> = new Set();

/** A span in the bytes of its chunk, which are not changed; undefined if it was removed. */
function storedSpan({ record, index }: SpanInRecord): StoredSpan | undefined {
  const json = record.jsonOf(index);
  if (json === undefined) return undefined;
  const { bytes, start, end } = json;
  return {
    slice: { memory: { bytes }, start, end },
    context: record.contextOf(index),
    isAbandoned: false,
    isWrapper: false,
  };
}

async function readLabels(
  { record, index }: SpanInRecord,
  stored: StoredSpan,
  timeSlice: TimeSlice,
): Promise<EvaluatedLabels> {
  const recorded = record.labelsOf(index);
  if (recorded !== undefined) return labelsOfSpan(recorded);
  const { attributes } = await readScalars(stored, LABELS, timeSlice);
  return labelsOfSpan({ model: labelText(attributes["model"]), agent: labelText(attributes["agent"]) });
}

/** A label as the buffer has it: texts only, at most 256 characters. */
function labelText(value: unknown): string {
  return typeof value === "string" ? truncateCodePoints(value, MAX_LABEL_LENGTH) : "";
}
