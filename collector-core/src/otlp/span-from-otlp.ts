import type { Attributes, JsonValue, Span, SpanEvent } from "@obspan/sdk/wire";
import type { Steps } from "../runtime/steps.js";
import { setProperty } from "../span/set-property.js";
import { formatInstant } from "../span/timestamp.js";
import { AttributeSet } from "./mapping/attribute-set.js";
import { takeConversation } from "./mapping/conversation.js";
import { takeOutcome } from "./mapping/failure.js";
import { takeLabels, takeTimeToFirstToken } from "./mapping/labels.js";
import { takeSpanType } from "./mapping/span-type.js";
import { takeUsage } from "./mapping/usage.js";
import { instantOf } from "./nanoseconds.js";
import { isShallow, type JsonTexts } from "./json-texts.js";
import {
  MAX_VALUE_DEPTH,
  NO_NAME,
  type AttributeSource,
  type OtlpEvent,
  type OtlpScope,
  type OtlpSpan,
} from "./received-spans.js";

/**
 * Maps a span of any library (contract 6): OpenTelemetry's conventions, OpenInference, Traceloop, the AI SDK, Langfuse and
 * others share the same tables of names. Attributes that are not mapped are kept unchanged.
 */
export function spanFromOtlp(
  span: OtlpSpan,
  scope: OtlpScope,
  texts: JsonTexts,
  resource?: Attributes,
): Span {
  const { mapped, events } = mapWithoutEvents(span, scope, texts, resource);
  if (events.length > 0) mapped.events = events.map(eventFromOtlp);
  return mapped;
}

/** Events that are mapped in one step: half a millisecond. */
const EVENTS_PER_STEP = 1000;

/** True for a span that takes several steps to map. */
export function hasManyEvents({ events }: { readonly events?: readonly unknown[] | undefined }): boolean {
  return events !== undefined && events.length > EVENTS_PER_STEP;
}

/** Like {@link spanFromOtlp}, in steps. */
export function* spanFromOtlpInSteps(
  span: OtlpSpan,
  scope: OtlpScope,
  texts: JsonTexts,
  resource?: Attributes,
): Steps<Span> {
  const { mapped, events } = mapWithoutEvents(span, scope, texts, resource);
  const mappedEvents: SpanEvent[] = [];
  for (const event of events) {
    if (mappedEvents.length % EVENTS_PER_STEP === 0) yield;
    mappedEvents.push(eventFromOtlp(event));
  }
  if (mappedEvents.length > 0) mapped.events = mappedEvents;
  return mapped;
}

/** Maps a span and takes the messages from its events. Returns the other events unmapped. */
function mapWithoutEvents(
  span: OtlpSpan,
  scope: OtlpScope,
  texts: JsonTexts,
  resource: Attributes | undefined,
): { readonly mapped: Span; readonly events: readonly OtlpEvent[] } {
  const { spanType, status, mapped: mappedAttributes, events } = mapAttributes(span, scope, texts);
  addSpanFields(mappedAttributes, span, scope, resource);
  const mapped = basicsOf(span);
  mapped.span_type = spanType;
  mapped.status = status;
  mapped.attributes = mappedAttributes;
  return { mapped, events };
}

/** What the attributes of a span mean. */
interface MappedAttributes {
  readonly spanType: string;
  readonly status: string;
  readonly mapped: Attributes;
  /** The events that are not messages. */
  readonly events: readonly OtlpEvent[];
}

/** Maps the attributes of a span, and takes the messages from its events. */
export function mapAttributes(span: AttributeSource, scope: OtlpScope, texts: JsonTexts): MappedAttributes {
  const attributes = new AttributeSet(span.attributes, texts);
  const { status, error } = takeOutcome(span, attributes);
  const spanType = takeSpanType(attributes, span.name);
  const labels = takeLabels(attributes, span, spanType);
  const provider = typeof labels["provider"] === "string" ? labels["provider"] : "";
  const usage = takeUsage(attributes, provider, scope.name);
  const { events, content } = takeConversation(attributes, span.events, spanType);
  const mapped: Attributes = {};
  addPresent(mapped, labels);
  addPresent(mapped, usage);
  const ttftMs = takeTimeToFirstToken(attributes, span);
  if (ttftMs !== undefined) mapped["ttft_ms"] = ttftMs;
  if (error !== undefined) addPresent(mapped, error);
  addPresent(mapped, shallow(content));
  // Unmapped attributes, except those whose keys the mapping has set.
  for (const [key, value] of attributes.all())
    if (value !== undefined && !Object.hasOwn(mapped, key)) setProperty(mapped, key, value);
  return { spanType, status, mapped, events };
}

/** The mapping produces JSON, although the types of messages allow more. */
function addPresent(mapped: Attributes, values: object): void {
  const record = values as Readonly<Record<string, JsonValue | undefined>>;
  for (const key in record) {
    const value = record[key];
    if (value !== undefined) mapped[key] = value;
  }
}

/** Replaces values that are nested too deep by their JSON text. */
function shallow(content: object): object {
  const record = content as Readonly<Record<string, unknown>>;
  for (const key in record) {
    const value = record[key];
    if (typeof value === "object" && value !== null && !isShallow(value, MAX_VALUE_DEPTH))
      return shallow({ ...record, [key]: JSON.stringify(value) });
  }
  return content;
}

/** Ids, name and times. */
function basicsOf(span: OtlpSpan): Span {
  const start = instantOf(span.startUnixNano);
  const end = instantOf(span.endUnixNano);
  const basics: Span = {
    name: span.name === "" ? NO_NAME : span.name,
    trace_id: span.traceId,
    span_id: span.spanId,
  };
  if (span.parentSpanId !== "") basics.parent_span_id = span.parentSpanId;
  if (start !== undefined) basics.start_time = formatInstant(start);
  if (end !== undefined) basics.end_time = formatInstant(end);
  return basics;
}

function eventFromOtlp({ name, timeUnixNano, attributes }: OtlpEvent): SpanEvent {
  const time = instantOf(timeUnixNano);
  return {
    name,
    ...(time === undefined ? {} : { time: formatInstant(time) }),
    ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
  };
}

const KINDS: readonly (string | undefined)[] = [
  undefined,
  undefined,
  "server",
  "client",
  "producer",
  "consumer",
];

/** Adds other fields of the OTLP span, under the attribute names that OpenTelemetry defines for them. */
function addSpanFields(
  mapped: Attributes,
  span: OtlpSpan,
  scope: OtlpScope,
  resource: Attributes | undefined,
): void {
  const kind = KINDS[span.kind];
  if (scope.name !== "") mapped["otel.scope.name"] = scope.name;
  if (scope.version !== "") mapped["otel.scope.version"] = scope.version;
  if (kind !== undefined) mapped["span.kind"] = kind;
  if (span.traceState !== "") mapped["w3c.tracestate"] = span.traceState;
  if (span.links.length > 0) mapped["otel.links"] = span.links.map(linkOf);
  // On root spans only: it is the same for all spans of a trace.
  if (span.parentSpanId === "" && resource !== undefined) mapped["resource"] = resource;
}

function linkOf({ traceId, spanId, attributes }: OtlpSpan["links"][number]): JsonValue {
  return { trace_id: traceId, span_id: spanId, attributes: Object.fromEntries(attributes) };
}
