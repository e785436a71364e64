import type { PipelineSpan } from "../span/pipeline-span.js";
import { Span_SpanKind, Status_StatusCode } from "./proto/opentelemetry/proto/trace/v1/trace_pb.js";
import { isRecord } from "../span/span-facts.js";
import { elapsedMs, formatInstant, parseTimestamp, type Instant } from "../span/timestamp.js";
import { isWellFormed } from "../span/well-formed.js";
import type { Steps } from "../runtime/steps.js";
import { spanLimits } from "./any-value.js";
import {
  AttributesToOtlp,
  DERIVED,
  escapedKey,
  MORE_EVENTS,
  writeSpanAttributes,
  type AttributeSink,
} from "./attributes-to-otlp.js";
import { JsonChunks } from "./json-chunks.js";
import { isOtlpTime, unixNanoOf } from "./nanoseconds.js";
import { otlpSpanId, otlpTraceId } from "./otlp-ids.js";
import { TRACE_REMAINS, WRAPPER, type SpanMarks } from "./span-marks.js";
import type { SpanWriter } from "./span-writer.js";

/** Types of spans that call a remote service. */
const CLIENT_TYPES: ReadonlySet<string> = new Set(["llm", "embedding", "retrieval"]);
const STATUS_CODES: ReadonlyMap<string, Status_StatusCode> = new Map([
  ["OK", Status_StatusCode.OK],
  ["ERROR", Status_StatusCode.ERROR],
]);

/** The target of a span. */
interface SpanSink extends AttributeSink {
  readonly writer: SpanWriter;
}

/**
 * Writes a span for the export over OTLP (contract 6), lossless, with Obspan's names and those of the conventions.
 *
 * @throws `RangeError` if a value is nested too deep or too long for a string.
 */
export function* writeSpan(
  { span, facts, marks }: Pick<PipelineSpan, "span" | "facts"> & { readonly marks?: SpanMarks | undefined },
  writer: SpanWriter,
): Steps<void> {
  const traceId = otlpTraceId(facts.traceId);
  const spanId = otlpSpanId(facts.spanId);
  const parentId = facts.parentSpanId === "" ? undefined : otlpSpanId(facts.parentSpanId);
  const startNanos = unixNanoOf(facts.start);
  const sink = { writer, limits: spanLimits() };
  writer.begin({
    traceId: traceId.bytes,
    spanId: spanId.bytes,
    parentSpanId: parentId?.bytes,
    name: facts.name,
    kind: CLIENT_TYPES.has(facts.spanType) ? Span_SpanKind.CLIENT : Span_SpanKind.INTERNAL,
    startUnixNano: startNanos,
    endUnixNano: facts.end === undefined ? startNanos : unixNanoOf(facts.end),
  });
  const attributes = yield* writeSpanAttributes(span.attributes, facts, sink);
  yield* attributes.add("obspan.span_type", facts.spanType);
  yield* attributes.add("obspan.trace_id", traceId.original);
  yield* attributes.add("obspan.span_id", spanId.original);
  yield* attributes.add("obspan.parent_span_id", parentId?.original);
  yield* attributes.add("obspan.status", STATUS_CODES.has(facts.status) ? undefined : facts.status);
  yield* attributes.add("obspan.error_propagated", facts.errorPropagated ? true : undefined);
  yield* attributes.add(
    "obspan.computed_cost_usd",
    facts.costSource === "computed" ? facts.costUsd : undefined,
  );
  yield* attributes.add("obspan.name", isWellFormed(facts.name) ? undefined : facts.name);
  yield* addTimes(facts, attributes);
  yield* attributes.add(WRAPPER, marks?.isWrapper === true ? true : undefined);
  yield* attributes.add(TRACE_REMAINS, marks?.remains && JSON.stringify(marks.remains));
  const events = eventsOf(span.events);
  const written = eventsThatFit(events, sink.limits.entries);
  yield* addMoreEvents(events.slice(written), sink);
  attributes.end();
  for (const event of events.slice(0, written)) yield* writeEvent(event, startNanos, sink);
  yield* writeResult(span.attributes, facts, startNanos, sink);
  writer.end(
    STATUS_CODES.get(facts.status) ?? Status_StatusCode.UNSET,
    facts.status === "ERROR" ? errorMessage(span.attributes) : "",
  );
}

/** The text of a time that OTLP cannot represent, otherwise undefined. */
function textOfTime(instant: Instant): string | undefined {
  return isOtlpTime(instant) ? undefined : formatInstant(instant);
}

/** Adds what the two OTLP times cannot express: a time beyond them, no end, or a duration that differs from them. */
function* addTimes(
  { start, end, durationMs }: PipelineSpan["facts"],
  attributes: AttributesToOtlp,
): Steps<void> {
  yield* attributes.add("obspan.start_time", textOfTime(start));
  if (end === undefined) yield* attributes.add("obspan.no_end", true);
  else {
    yield* attributes.add("obspan.end_time", textOfTime(end));
    if (durationMs !== elapsedMs(start, end)) yield* attributes.add("obspan.duration_ms", durationMs);
  }
}

function errorMessage(attributes: unknown): string {
  const message = isRecord(attributes) ? attributes["error_message"] : undefined;
  return typeof message === "string" ? message : "";
}

/** Writes the evaluation result event of the conventions (contract 8). An import ignores it. */
function* writeResult(
  attributes: unknown,
  { evaluationType, evaluationScore, end, status }: PipelineSpan["facts"],
  startNanos: bigint,
  sink: SpanSink,
): Steps<void> {
  if (evaluationType === "" || !isRecord(attributes)) return;
  sink.writer.beginEvent("gen_ai.evaluation.result", end === undefined ? startNanos : unixNanoOf(end));
  const written = new AttributesToOtlp(sink);
  yield* written.add(DERIVED, true);
  yield* written.add("gen_ai.evaluation.name", attributes["evaluation_type"]);
  yield* written.add("gen_ai.evaluation.score.value", evaluationScore);
  yield* written.add("gen_ai.evaluation.score.label", attributes["evaluation_label"]);
  yield* written.add(
    "gen_ai.evaluation.explanation",
    attributes["evaluation_explanation"] ?? attributes["evaluation_comment"],
  );
  yield* written.add("error.type", status === "ERROR" ? attributes["error_type"] : undefined);
  written.end();
  sink.writer.endEvent();
}

/** An event with a valid name. */
interface NamedEvent {
  readonly name: string;
  readonly time?: unknown;
  readonly attributes?: unknown;
}

function eventsOf(events: unknown): readonly NamedEvent[] {
  return Array.isArray(events) ? (events as unknown[]).filter(isNamedEvent) : [];
}

function isNamedEvent(event: unknown): event is NamedEvent {
  return isRecord(event) && typeof event["name"] === "string";
}

/** The event itself, and an attribute of the exporter. */
const EVENT_ENTRIES = 2;

/** Number of events, from the first, within the limits. */
function eventsThatFit(events: readonly NamedEvent[], entries: number): number {
  let left = entries;
  const count = events.findIndex(({ attributes }) => {
    left -= EVENT_ENTRIES + (isRecord(attributes) ? Object.keys(attributes).length : 0);
    return left < 0;
  });
  return count < 0 ? events.length : count;
}

function* writeEvent(event: NamedEvent, startNanos: bigint, sink: SpanSink): Steps<void> {
  const time = parseTimestamp(event.time);
  sink.writer.beginEvent(event.name, time === undefined ? startNanos : unixNanoOf(time));
  const written = new AttributesToOtlp(sink);
  const attributes = isRecord(event.attributes) ? event.attributes : {};
  for (const key of Object.keys(attributes)) yield* written.add(escapedKey(key), attributes[key]);
  if (time === undefined) yield* written.add("obspan.no_time", true);
  else yield* written.add("obspan.time", textOfTime(time));
  written.end();
  sink.writer.endEvent();
  yield;
}

/** Writes the events beyond the limits as JSON. */
function* addMoreEvents(events: readonly NamedEvent[], { writer }: SpanSink): Steps<void> {
  const more = new JsonChunks("list");
  for (const { name, time, attributes } of events) {
    yield* more.add({
      name,
      ...(parseTimestamp(time) === undefined ? {} : { time }),
      ...(isRecord(attributes) ? { attributes } : {}),
    });
  }
  if (!more.isEmpty) writer.attribute(MORE_EVENTS, more.take());
}
