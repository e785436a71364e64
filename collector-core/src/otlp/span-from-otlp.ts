import type { Attributes, JsonValue, Span, SpanEvent } from "@obspan/sdk/wire";
import { formatInstant } from "../span/timestamp.js";
import { AttributeSet } from "./mapping/attribute-set.js";
import { takeConversation } from "./mapping/conversation.js";
import { takeOutcome } from "./mapping/failure.js";
import { takeLabels, takeTimeToFirstToken } from "./mapping/labels.js";
import { takeSpanType } from "./mapping/span-type.js";
import { takeUsage } from "./mapping/usage.js";
import { instantOf } from "./nanoseconds.js";
import { isOwnSpan, ownSpanFromOtlp } from "./own-span-from-otlp.js";
import type { OtlpEvent, OtlpScope, OtlpSpan } from "./received-spans.js";

/**
 * A span of any library as ours (contract 6): one table for OpenTelemetry's conventions, OpenInference, Traceloop, the AI
 * SDK, Langfuse and their relatives. What the table does not know is kept as it came. One that Obspan itself exported
 * becomes what it was.
 */
export function spanFromOtlp(span: OtlpSpan, scope: OtlpScope, resource?: Attributes): Span {
  if (isOwnSpan(span)) return ownSpanFromOtlp(span);
  const attributes = new AttributeSet(span.attributes);
  const outcome = takeOutcome(span, attributes);
  const spanType = takeSpanType(attributes, span.name);
  const labels = takeLabels(attributes, span, spanType);
  const provider = typeof labels["provider"] === "string" ? labels["provider"] : "";
  const usage = takeUsage(attributes, provider, scope.name);
  const { events, ...conversation } = takeConversation(attributes, span.events, spanType);
  const { status, ...error } = outcome;
  const known: Readonly<Record<string, unknown>> = {
    ...labels,
    ...usage,
    ttft_ms: takeTimeToFirstToken(attributes, span),
    ...error,
    ...conversation,
  };
  return {
    ...basicsOf(span),
    span_type: spanType,
    status,
    attributes: Object.fromEntries([
      ...present(known),
      ...restOf(attributes, known),
      ...present(aroundOf(span, scope, resource)),
    ]),
    ...(events.length === 0 ? {} : { events: events.map(eventFromOtlp) }),
  };
}

/** What every span has: ids, name and times. */
export function basicsOf(span: OtlpSpan): Span {
  const start = instantOf(span.startUnixNano);
  const end = instantOf(span.endUnixNano);
  return {
    name: span.name === "" ? NO_NAME : span.name,
    trace_id: span.traceId,
    span_id: span.spanId,
    ...(span.parentSpanId === "" ? {} : { parent_span_id: span.parentSpanId }),
    ...(start === undefined ? {} : { start_time: formatInstant(start) }),
    ...(end === undefined ? {} : { end_time: formatInstant(end) }),
  };
}

/** An empty name is allowed, and means that it is not known. */
const NO_NAME = "unknown";

export function eventFromOtlp({ name, timeUnixNano, attributes }: OtlpEvent): SpanEvent {
  const time = instantOf(timeUnixNano);
  return {
    name,
    ...(time === undefined ? {} : { time: formatInstant(time) }),
    ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
  };
}

/** The entries that have a value. What the mapping makes is JSON, though the types of messages allow more. */
function present(values: Readonly<Record<string, unknown>>): [string, JsonValue][] {
  return Object.entries(values).filter(([, value]) => value !== undefined) as [string, JsonValue][];
}

/** What has not been understood; of our own names what is not known better. */
function* restOf(
  attributes: AttributeSet,
  known: Readonly<Record<string, unknown>>,
): Generator<[string, JsonValue]> {
  for (const entry of attributes.rest()) {
    if (!Object.hasOwn(known, entry[0]) || known[entry[0]] === undefined) yield entry;
  }
}

const KINDS = ["", "", "server", "client", "producer", "consumer"];

/** What OTLP says beside the attributes, under the names that OpenTelemetry gives it where there are only attributes. */
function aroundOf(
  span: OtlpSpan,
  scope: OtlpScope,
  resource: Attributes | undefined,
): Readonly<Record<string, JsonValue | undefined>> {
  return {
    "otel.scope.name": scope.name === "" ? undefined : scope.name,
    "otel.scope.version": scope.version === "" ? undefined : scope.version,
    "span.kind": KINDS[span.kind] === "" ? undefined : KINDS[span.kind],
    "w3c.tracestate": span.traceState === "" ? undefined : span.traceState,
    "otel.links": span.links.length === 0 ? undefined : span.links.map(linkOf),
    // Once a trace: it is the same for all of its spans.
    resource: span.parentSpanId === "" ? resource : undefined,
  };
}

function linkOf({ traceId, spanId, attributes }: OtlpSpan["links"][number]): JsonValue {
  return { trace_id: traceId, span_id: spanId, attributes: Object.fromEntries(attributes) };
}
