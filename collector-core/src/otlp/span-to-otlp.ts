import { create } from "@bufbuild/protobuf";
import type { PipelineSpan } from "../span/pipeline-span.js";
import {
  Span_EventSchema,
  Span_SpanKind,
  SpanSchema,
  Status_StatusCode,
  StatusSchema,
  type Span,
  type Span_Event,
} from "./proto/opentelemetry/proto/trace/v1/trace_pb.js";
import { isRecord } from "../span/span-facts.js";
import { elapsedMs, parseTimestamp } from "../span/timestamp.js";
import { isWellFormed } from "../span/well-formed.js";
import { listRoom, type ListRoom } from "./any-value.js";
import { DERIVED, escapeReserved, toKeyValues, withConventions } from "./attributes-to-otlp.js";
import { nanosecondsOf } from "./nanoseconds.js";
import { otlpSpanId, otlpTraceId } from "./otlp-ids.js";

/** Spans of these types are calls to something outside. */
const CLIENT_TYPES: ReadonlySet<string> = new Set(["llm", "embedding", "retrieval"]);
const STATUS_CODES: ReadonlyMap<string, Status_StatusCode> = new Map([
  ["OK", Status_StatusCode.OK],
  ["ERROR", Status_StatusCode.ERROR],
]);

/** A span as it goes out over OTLP (contract 6): ours and the conventions' names beside each other, nothing lost. */
export function toOtlpSpan({ span, facts }: Pick<PipelineSpan, "span" | "facts">): Span {
  const traceId = otlpTraceId(facts.traceId);
  const spanId = otlpSpanId(facts.spanId);
  const parentId = facts.parentSpanId === "" ? undefined : otlpSpanId(facts.parentSpanId);
  const startNanos = nanosecondsOf(facts.start);
  const room = listRoom();
  return create(SpanSchema, {
    traceId: traceId.bytes,
    spanId: spanId.bytes,
    ...(parentId === undefined ? {} : { parentSpanId: parentId.bytes }),
    name: facts.name,
    kind: CLIENT_TYPES.has(facts.spanType) ? Span_SpanKind.CLIENT : Span_SpanKind.INTERNAL,
    startTimeUnixNano: startNanos,
    endTimeUnixNano: facts.end === undefined ? startNanos : nanosecondsOf(facts.end),
    attributes: toKeyValues(
      {
        ...withConventions(span.attributes, facts),
        ...present({
          "obspan.span_type": facts.spanType,
          "obspan.trace_id": traceId.original,
          "obspan.span_id": spanId.original,
          "obspan.parent_span_id": parentId?.original,
          "obspan.status": STATUS_CODES.has(facts.status) ? undefined : facts.status,
          "obspan.error_propagated": facts.errorPropagated ? true : undefined,
          "obspan.name": isWellFormed(facts.name) ? undefined : facts.name,
          ...durationOf(facts),
        }),
      },
      room,
    ),
    events: [
      ...eventsOf(span.events, startNanos, room),
      ...resultEvents(span.attributes, facts, startNanos, room),
    ],
    status: create(StatusSchema, {
      code: STATUS_CODES.get(facts.status) ?? Status_StatusCode.UNSET,
      message: facts.status === "ERROR" ? errorMessage(span.attributes) : "",
    }),
  });
}

/** What the two times do not say: that there is no end, or a duration by a better clock than theirs. */
function durationOf({ start, end, durationMs }: PipelineSpan["facts"]): Record<string, unknown> {
  if (end === undefined) return { "obspan.no_end": true };
  return durationMs === undefined || durationMs === elapsedMs(start, end)
    ? {}
    : { "obspan.duration_ms": durationMs };
}

function present(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function errorMessage(attributes: unknown): string {
  const message = isRecord(attributes) ? attributes["error_message"] : undefined;
  return typeof message === "string" ? message : "";
}

/** The result of an evaluation as the conventions have it (contract 8): made on the way out, and left out on the way in. */
function resultEvents(
  attributes: unknown,
  facts: PipelineSpan["facts"],
  startNanos: bigint,
  room: ListRoom,
): Span_Event[] {
  const { evaluationType, evaluationScore, end } = facts;
  if (evaluationType === "" || !isRecord(attributes)) return [];
  return [
    create(Span_EventSchema, {
      name: "gen_ai.evaluation.result",
      timeUnixNano: end === undefined ? startNanos : nanosecondsOf(end),
      attributes: toKeyValues(
        present({
          [DERIVED]: true,
          "gen_ai.evaluation.name": attributes["evaluation_type"],
          "gen_ai.evaluation.score.value": evaluationScore,
          "gen_ai.evaluation.score.label": attributes["evaluation_label"],
          "gen_ai.evaluation.explanation":
            attributes["evaluation_explanation"] ?? attributes["evaluation_comment"],
          "error.type": facts.status === "ERROR" ? attributes["error_type"] : undefined,
        }),
        room,
      ),
    }),
  ];
}

function eventsOf(events: unknown, startNanos: bigint, room: ListRoom): Span_Event[] {
  if (!Array.isArray(events)) return [];
  return (events as unknown[]).flatMap((event) => {
    if (!isRecord(event) || typeof event["name"] !== "string") return [];
    const time = parseTimestamp(event["time"]);
    return create(Span_EventSchema, {
      name: event["name"],
      timeUnixNano: time === undefined ? startNanos : nanosecondsOf(time),
      attributes: toKeyValues(
        {
          ...(isRecord(event["attributes"]) ? escapeReserved(event["attributes"]) : {}),
          ...(time === undefined ? { "obspan.no_time": true } : {}),
        },
        room,
      ),
    });
  });
}
