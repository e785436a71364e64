import type { Attributes, JsonValue, Span, SpanEvent } from "@obspan/sdk/wire";
import { appendAll } from "../runtime/append-all.js";
import { isRecord, isUsableSpanId, isUsableTraceId } from "../span/span-facts.js";
import { setProperty } from "../span/set-property.js";
import { formatInstant, parseTimestamp } from "../span/timestamp.js";
import {
  CONVENTION_KEYS,
  DERIVED,
  ESCAPE,
  JSON_KEYS,
  MORE_ATTRIBUTES,
  MORE_EVENTS,
  OWN_KEYS,
  RESERVED_PREFIX,
} from "./attributes-to-otlp.js";
import { instantOf } from "./nanoseconds.js";
import type { JsonTexts } from "./json-texts.js";
import {
  MAX_VALUE_DEPTH,
  NO_NAME,
  type OtlpAttributes,
  type OtlpEvent,
  type OtlpSpan,
} from "./received-spans.js";

/** True for a span that Obspan exported, which has the type attribute of the exporter. */
export function isOwnSpan({ attributes }: OtlpSpan): boolean {
  return typeof attributes.get("obspan.span_type") === "string";
}

/**
 * Restores an exported span: the lossless inverse of `span-to-otlp.ts` (contract 6). An invalid id was not written by
 * Obspan; the span then gets the id of OTLP.
 */
export function ownSpanFromOtlp(span: OtlpSpan, texts: JsonTexts): Span {
  const exporterValue = (key: string): JsonValue | undefined =>
    span.attributes.get(`${RESERVED_PREFIX}${key}`);
  const start = timeOf(span.startUnixNano, exporterValue("start_time"));
  const end =
    exporterValue("no_end") === true ? undefined : timeOf(span.endUnixNano, exporterValue("end_time"));
  const durationMs = exporterValue("duration_ms");
  const computedCostUsd = exporterValue("computed_cost_usd");
  const more = moreOf(span.attributes, texts);
  const events = [
    ...span.events
      .filter((event) => event.attributes.get(DERIVED) !== true)
      .map((event) => ownEvent(event, texts)),
    ...more.events,
  ];
  const attributes = unescaped(span.attributes, MAX_VALUE_DEPTH, texts);
  const [traceId, spanId, parentId] = [
    exporterValue("trace_id"),
    exporterValue("span_id"),
    exporterValue("parent_span_id"),
  ];
  const parent = isUsableSpanId(parentId) ? parentId : span.parentSpanId;
  return {
    name: textOf(attributes.get("obspan.name")) ?? textOf(span.name) ?? NO_NAME,
    trace_id: isUsableTraceId(traceId) ? traceId : span.traceId,
    span_id: isUsableSpanId(spanId) ? spanId : span.spanId,
    ...(parent === "" ? {} : { parent_span_id: parent }),
    span_type: textOf(attributes.get("obspan.span_type")) ?? "span",
    status: textOf(attributes.get("obspan.status")) ?? (span.statusCode === ERROR ? "ERROR" : "OK"),
    ...(start === undefined ? {} : { start_time: start }),
    ...(end === undefined ? {} : { end_time: end }),
    ...(typeof durationMs === "number" ? { duration_ms: durationMs } : {}),
    attributes: withoutConventions(attributes, more.attributes),
    ...(events.length === 0 ? {} : { events }),
    ...(exporterValue("error_propagated") === true ? { error_propagated: true } : {}),
    ...(typeof computedCostUsd === "number" ? { computed_cost_usd: computedCostUsd } : {}),
  };
}

const ERROR = 2;

/**
 * The time of a span or event.
 *
 * @param text - the attribute of the exporter for a time that OTLP cannot represent.
 */
function timeOf(unixNano: bigint, text: JsonValue | undefined): string | undefined {
  const instant = instantOf(unixNano) ?? parseTimestamp(text);
  return instant === undefined ? undefined : formatInstant(instant);
}

/** Attributes and events that the exporter wrote as JSON. */
interface More {
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
}

/** The JSON has an object around the attributes, or a list around the events. */
const MAX_MORE_DEPTH = MAX_VALUE_DEPTH + 1;

/** Parses attributes and events written as JSON. Texts that another receiver changed stay an attribute. */
function moreOf(attributes: OtlpAttributes, jsonTexts: JsonTexts): More {
  const more = { attributes: {} as Attributes, events: [] as SpanEvent[] };
  const unparsed = (key: string, text: string): void => {
    const texts = more.attributes[key];
    if (Array.isArray(texts)) texts.push(text);
    else more.attributes[key] = [text];
  };
  for (const text of listOf(attributes.get(MORE_ATTRIBUTES))) {
    const value = jsonTexts.parse(text, MAX_MORE_DEPTH);
    if (isRecord(value))
      for (const key of Object.keys(value)) setProperty(more.attributes, key, value[key] ?? null);
    else unparsed(MORE_ATTRIBUTES, text);
  }
  for (const text of listOf(attributes.get(MORE_EVENTS))) {
    const value = jsonTexts.parse(text, MAX_MORE_DEPTH);
    if (Array.isArray(value)) appendAll(more.events, value as unknown as SpanEvent[]);
    else unparsed(MORE_EVENTS, text);
  }
  return more;
}

/** Attributes of the span, without those that the exporter added under the names of the conventions. */
function withoutConventions(attributes: OtlpAttributes, more: Attributes): Attributes {
  const ownKeys = new Set(listOf(attributes.get(OWN_KEYS)));
  const own = ownAttributes(attributes, (key) => !CONVENTION_KEYS.has(key) || ownKeys.has(key));
  for (const key of Object.keys(more)) if (!Object.hasOwn(own, key)) setProperty(own, key, more[key] ?? null);
  return own;
}

function ownAttributes(attributes: OtlpAttributes, isOwn: (key: string) => boolean): Attributes {
  const own: Attributes = {};
  for (const [key, value] of attributes) {
    if (key.startsWith(ESCAPE)) setProperty(own, key.slice(ESCAPE.length), value);
    else if (!key.startsWith(RESERVED_PREFIX) && isOwn(key)) setProperty(own, key, value);
  }
  return own;
}

/** In a batch an event is two levels deeper than the attributes of its span. */
const MAX_EVENT_VALUE_DEPTH = MAX_VALUE_DEPTH - 2;

/**
 * Parses the attributes that were written as JSON. A text that another receiver changed, or that is nested too deep, stays
 * a text.
 */
function unescaped(attributes: OtlpAttributes, maxDepth: number, texts: JsonTexts): OtlpAttributes {
  const jsonKeys = listOf(attributes.get(JSON_KEYS));
  if (jsonKeys.length === 0) return attributes;
  const read: OtlpAttributes = new Map(attributes);
  for (const key of jsonKeys) {
    const text = attributes.get(key);
    if (typeof text !== "string") continue;
    const value = texts.parse(text, maxDepth);
    if (value !== undefined) read.set(key, value);
  }
  return read;
}

function ownEvent({ name, timeUnixNano, attributes }: OtlpEvent, texts: JsonTexts): SpanEvent {
  const isTimeless = attributes.get("obspan.no_time") === true;
  const time = isTimeless ? undefined : timeOf(timeUnixNano, attributes.get("obspan.time"));
  return {
    name,
    ...(time === undefined ? {} : { time }),
    attributes: ownAttributes(unescaped(attributes, MAX_EVENT_VALUE_DEPTH, texts), () => true),
  };
}

function listOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
