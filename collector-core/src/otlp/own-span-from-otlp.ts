import type { Attributes, JsonValue, Span, SpanEvent } from "@obspan/sdk/wire";
import { isUsableSpanId, isUsableTraceId } from "../span/span-facts.js";
import { formatInstant } from "../span/timestamp.js";
import {
  CONVENTION_KEYS,
  DERIVED,
  ESCAPE,
  JSON_KEYS,
  OWN_KEYS,
  RESERVED_PREFIX,
} from "./attributes-to-otlp.js";
import { instantOf } from "./nanoseconds.js";
import { readJsonText } from "./json-text.js";
import {
  MAX_VALUE_DEPTH,
  NO_NAME,
  type OtlpAttributes,
  type OtlpEvent,
  type OtlpSpan,
} from "./received-spans.js";

/** True for a span that Obspan exported: it says its own type. */
export function isOwnSpan({ attributes }: OtlpSpan): boolean {
  return typeof attributes.get("obspan.span_type") === "string";
}

/**
 * The span that was exported: the inverse of `span-to-otlp.ts`, which loses nothing (contract 6). An id that no span may
 * have was not written by Obspan: the span keeps the one that OTLP carries.
 */
export function ownSpanFromOtlp(span: OtlpSpan): Span {
  const said = (key: string): JsonValue | undefined => span.attributes.get(`${RESERVED_PREFIX}${key}`);
  const start = instantOf(span.startUnixNano);
  const end = said("no_end") === true ? undefined : instantOf(span.endUnixNano);
  const durationMs = said("duration_ms");
  const events = span.events.filter((event) => event.attributes.get(DERIVED) !== true);
  const attributes = unescaped(span.attributes, MAX_VALUE_DEPTH);
  const [traceId, spanId, parentId] = [said("trace_id"), said("span_id"), said("parent_span_id")];
  const parent = isUsableSpanId(parentId) ? parentId : span.parentSpanId;
  return {
    name: textOf(attributes.get("obspan.name")) ?? textOf(span.name) ?? NO_NAME,
    trace_id: isUsableTraceId(traceId) ? traceId : span.traceId,
    span_id: isUsableSpanId(spanId) ? spanId : span.spanId,
    ...(parent === "" ? {} : { parent_span_id: parent }),
    span_type: textOf(said("span_type")) ?? "span",
    status: textOf(said("status")) ?? (span.statusCode === ERROR ? "ERROR" : "OK"),
    ...(start === undefined ? {} : { start_time: formatInstant(start) }),
    ...(end === undefined ? {} : { end_time: formatInstant(end) }),
    ...(typeof durationMs === "number" ? { duration_ms: durationMs } : {}),
    attributes: withoutConventions(attributes),
    ...(events.length === 0 ? {} : { events: events.map(ownEvent) }),
    ...(said("error_propagated") === true ? { error_propagated: true } : {}),
  };
}

const ERROR = 2;

/** A span's own attributes, without those that the conventions' names were added for. */
function withoutConventions(attributes: OtlpAttributes): Attributes {
  const own = new Set(listOf(attributes.get(OWN_KEYS)));
  return ownAttributes(attributes, (key) => !CONVENTION_KEYS.has(key) || own.has(key));
}

function ownAttributes(attributes: OtlpAttributes, isOwn: (key: string) => boolean): Attributes {
  const entries = [...attributes].flatMap(([key, value]): [string, JsonValue][] => {
    if (key.startsWith(ESCAPE)) return [[key.slice(ESCAPE.length), value]];
    return key.startsWith(RESERVED_PREFIX) || !isOwn(key) ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** An event stands two levels deeper in a batch than the attributes of its span. */
const MAX_EVENT_VALUE_DEPTH = MAX_VALUE_DEPTH - 2;

/**
 * The attributes with those read as JSON that were written as such. A text that another receiver has changed on the way
 * stays a text, and so does one that is nested too deep.
 */
function unescaped(attributes: OtlpAttributes, maxDepth: number): OtlpAttributes {
  const jsonKeys = listOf(attributes.get(JSON_KEYS));
  if (jsonKeys.length === 0) return attributes;
  const read: OtlpAttributes = new Map(attributes);
  for (const key of jsonKeys) {
    const text = attributes.get(key);
    if (typeof text !== "string") continue;
    const value = readJsonText(text, maxDepth);
    if (value !== undefined) read.set(key, value);
  }
  return read;
}

function ownEvent({ name, timeUnixNano, attributes }: OtlpEvent): SpanEvent {
  const time = attributes.get("obspan.no_time") === true ? undefined : instantOf(timeUnixNano);
  return {
    name,
    ...(time === undefined ? {} : { time: formatInstant(time) }),
    attributes: ownAttributes(unescaped(attributes, MAX_EVENT_VALUE_DEPTH), () => true),
  };
}

function listOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
