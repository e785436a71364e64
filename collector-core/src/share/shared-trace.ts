import type { Run } from "../analysis/run.js";
import type { Transcript } from "../analysis/transcript/entries.js";
import type { NormalizedSpan, TraceSummary } from "../api-schema/trace.js";
import type { StoredTrace } from "../interfaces.js";
import { runInSlices, type Steps } from "../runtime/steps.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { eachSpan } from "../span/each-span.js";
import { SpanBudget } from "../span/span-budget.js";
import { readScalars, readStored, TEXT_ATTRIBUTES } from "../span/stored-span.js";
import { cutInSteps } from "./cut-texts.js";

/** Bytes of the spans that one file is made of. */
const MAX_TRACE_BYTES = 8 * 2 ** 20;
/** Spans of one file. */
const MAX_SPANS = 2000;
/** A larger span, or one with too many values, is shown without its lists and objects. */
const MAX_SPAN_BYTES = 2 * 2 ** 20;

/** Replaces personal data and secrets. */
export interface SharedTraceRedactor {
  text(text: string): string;
  /** The attributes of a span or of an event. */
  attributes(attributes: unknown): Steps<unknown>;
}

/** A trace as a file shows it to people and programs. */
export interface SharedTrace {
  readonly summary: TraceSummary;
  /** In order of start. */
  readonly spans: readonly NormalizedSpan[];
  /** Spans that did not fit into the file. */
  readonly leftOut: number;
  /** Spans whose texts were cut. */
  readonly cut: number;
  /** Bytes of JSON that were read of it. */
  readonly bytes: number;
  readonly isRedacted: boolean;
}

/** What a file is laid out from. */
export interface FileContent {
  readonly shared: SharedTrace;
  readonly run: Run;
  readonly transcript: Transcript;
}

/** Options of {@link readSharedTrace}. */
export interface SharedTraceOptions {
  /** Undefined if texts are shown as they are. */
  readonly redactor: SharedTraceRedactor | undefined;
  readonly timeSlice: TimeSlice;
  /** Bytes of the spans to read. Default: as many as one file is made of. */
  readonly maxBytes?: number;
}

/** Reads a trace for one file: the first spans that fit, long texts cut, redacted in slices. */
export async function readSharedTrace(
  trace: Pick<StoredTrace, "summary" | "spans">,
  { redactor, timeSlice, maxBytes = MAX_TRACE_BYTES }: SharedTraceOptions,
): Promise<SharedTrace> {
  const spans: NormalizedSpan[] = [];
  const budget = new SpanBudget({ maxBytes, maxSpanBytes: MAX_SPAN_BYTES });
  let usedBytes = 0;
  let leftOut = 0;
  let cut = 0;
  for await (const stored of eachSpan(trace.spans, timeSlice)) {
    const bytes = Math.min(stored.slice.end - stored.slice.start, MAX_SPAN_BYTES);
    if (usedBytes + bytes > maxBytes || spans.length === MAX_SPANS) {
      leftOut++;
      continue;
    }
    usedBytes += bytes;
    const isWhole = budget.take(stored);
    const span = await (isWhole
      ? readStored(stored, timeSlice)
      : readScalars(stored, TEXT_ATTRIBUTES, timeSlice));
    const shown = await runInSlices(cutInSteps(span), timeSlice);
    if (!isWhole || shown !== span) cut++;
    spans.push(redactor === undefined ? shown : await runInSlices(redacted(shown, redactor), timeSlice));
  }
  const { summary } = trace;
  return {
    summary: redactor === undefined ? summary : redactedSummary(summary, redactor),
    spans,
    leftOut,
    cut,
    bytes: usedBytes,
    isRedacted: redactor !== undefined,
  };
}

function* redacted(span: NormalizedSpan, redactor: SharedTraceRedactor): Steps<NormalizedSpan> {
  const attributes = (yield* redactor.attributes(span.attributes)) as NormalizedSpan["attributes"];
  const events: NormalizedSpan["events"][number][] = [];
  for (const event of span.events) {
    const inside = yield* redactor.attributes(event.attributes ?? {});
    events.push({ ...event, name: redactor.text(event.name), attributes: inside as typeof span.attributes });
  }
  return {
    ...span,
    name: redactor.text(span.name),
    span_type: redactor.text(span.span_type),
    status: redactor.text(span.status),
    attributes,
    events,
  };
}

function redactedSummary(summary: TraceSummary, redactor: SharedTraceRedactor): TraceSummary {
  const text = (value: string): string => redactor.text(value);
  const optional = (value: string | null): string | null => (value === null ? null : text(value));
  return {
    ...summary,
    root_name: text(summary.root_name),
    session_id: optional(summary.session_id),
    user_id: optional(summary.user_id),
    input_preview: optional(summary.input_preview),
    output_preview: optional(summary.output_preview),
  };
}
