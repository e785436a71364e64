import { create } from "@bufbuild/protobuf";
import type { PipelineSpan } from "../interfaces.js";
import {
  Span_EventSchema,
  Span_SpanKind,
  SpanSchema,
  Status_StatusCode,
  StatusSchema,
  type Span,
  type Span_Event,
} from "../otlp/proto/opentelemetry/proto/trace/v1/trace_pb.js";
import { isRecord } from "../span/span-facts.js";
import { parseTimestamp, type Instant } from "../span/timestamp.js";
import { toKeyValues, withConventions } from "./otlp-attributes.js";
import { otlpSpanId, otlpTraceId } from "./otlp-ids.js";

/** Spans of these types are calls to something outside. */
const CLIENT_TYPES: ReadonlySet<string> = new Set(["llm", "embedding", "retrieval"]);
const STATUS_CODES: Readonly<Record<string, Status_StatusCode>> = {
  OK: Status_StatusCode.OK,
  ERROR: Status_StatusCode.ERROR,
};

/** A span as it goes out over OTLP (contract 6): ours and the conventions' names beside each other, nothing lost. */
export function toOtlpSpan({ span, facts }: Pick<PipelineSpan, "span" | "facts">): Span {
  const traceId = otlpTraceId(facts.traceId);
  const spanId = otlpSpanId(facts.spanId);
  const parentId = facts.parentSpanId === "" ? undefined : otlpSpanId(facts.parentSpanId);
  const startNanos = nanosOf(facts.start);
  return create(SpanSchema, {
    traceId: traceId.bytes,
    spanId: spanId.bytes,
    ...(parentId === undefined ? {} : { parentSpanId: parentId.bytes }),
    name: facts.name,
    kind: CLIENT_TYPES.has(facts.spanType) ? Span_SpanKind.CLIENT : Span_SpanKind.INTERNAL,
    startTimeUnixNano: startNanos,
    endTimeUnixNano: facts.end === undefined ? startNanos : nanosOf(facts.end),
    attributes: toKeyValues({
      ...withConventions(span.attributes, facts),
      ...present({
        "obspan.span_type": facts.spanType,
        "obspan.trace_id": traceId.original,
        "obspan.span_id": spanId.original,
        "obspan.parent_span_id": parentId?.original,
        "obspan.status": facts.status in STATUS_CODES ? undefined : facts.status,
        "obspan.error_propagated": facts.errorPropagated ? true : undefined,
      }),
    }),
    events: eventsOf(span.events, startNanos),
    status: create(StatusSchema, {
      code: STATUS_CODES[facts.status] ?? Status_StatusCode.UNSET,
      message: facts.status === "ERROR" ? errorMessage(span.attributes) : "",
    }),
  });
}

function present(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function errorMessage(attributes: unknown): string {
  const message = isRecord(attributes) ? attributes["error_message"] : undefined;
  return typeof message === "string" ? message : "";
}

function eventsOf(events: unknown, startNanos: bigint): Span_Event[] {
  if (!Array.isArray(events)) return [];
  return (events as unknown[]).flatMap((event) => {
    if (!isRecord(event) || typeof event["name"] !== "string") return [];
    const time = parseTimestamp(event["time"]);
    return create(Span_EventSchema, {
      name: event["name"],
      timeUnixNano: time === undefined ? startNanos : nanosOf(time),
      attributes: isRecord(event["attributes"]) ? toKeyValues(event["attributes"]) : [],
    });
  });
}

function nanosOf({ epochMs, nanos }: Instant): bigint {
  return BigInt(epochMs) * 1_000_000n + BigInt(nanos);
}
