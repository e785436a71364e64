import type { Attributes, JsonValue, Span, SpanEvent } from "@obspan/sdk/wire";
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
import type { OtlpAttributes, OtlpEvent, OtlpSpan } from "./received-spans.js";

/** True for a span that Obspan exported: it says its own type. */
export function isOwnSpan({ attributes }: OtlpSpan): boolean {
  return typeof attributes.get("obspan.span_type") === "string";
}

/** The span that was exported: the inverse of `span-to-otlp.ts`, which loses nothing (contract 6). */
export function ownSpanFromOtlp(span: OtlpSpan): Span {
  const said = (key: string): JsonValue | undefined => span.attributes.get(`${RESERVED_PREFIX}${key}`);
  const start = instantOf(span.startUnixNano);
  const end = said("no_end") === true ? undefined : instantOf(span.endUnixNano);
  const parent = said("parent_span_id") ?? span.parentSpanId;
  const durationMs = said("duration_ms");
  const events = span.events.filter((event) => event.attributes.get(DERIVED) !== true);
  const own = textOf(unescaped(span.attributes).get("obspan.name"));
  return {
    name: own ?? span.name,
    trace_id: textOf(said("trace_id")) ?? span.traceId,
    span_id: textOf(said("span_id")) ?? span.spanId,
    ...(textOf(parent) === undefined ? {} : { parent_span_id: textOf(parent) ?? null }),
    span_type: textOf(said("span_type")) ?? "span",
    status: textOf(said("status")) ?? (span.statusCode === ERROR ? "ERROR" : "OK"),
    ...(start === undefined ? {} : { start_time: formatInstant(start) }),
    ...(end === undefined ? {} : { end_time: formatInstant(end) }),
    ...(typeof durationMs === "number" ? { duration_ms: durationMs } : {}),
    attributes: withoutConventions(span.attributes),
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
  const entries = [...unescaped(attributes)].flatMap(([key, value]): [string, JsonValue][] => {
    if (key.startsWith(ESCAPE)) return [[key.slice(ESCAPE.length), value]];
    return key.startsWith(RESERVED_PREFIX) || !isOwn(key) ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** The attributes with those read as JSON that were written as such. */
function unescaped(attributes: OtlpAttributes): OtlpAttributes {
  const jsonKeys = listOf(attributes.get(JSON_KEYS));
  if (jsonKeys.length === 0) return attributes;
  const read: OtlpAttributes = new Map(attributes);
  for (const key of jsonKeys) {
    const text = attributes.get(key);
    if (typeof text === "string") read.set(key, parsed(text));
  }
  return read;
}

function ownEvent({ name, timeUnixNano, attributes }: OtlpEvent): SpanEvent {
  const time = attributes.get("obspan.no_time") === true ? undefined : instantOf(timeUnixNano);
  return {
    name,
    ...(time === undefined ? {} : { time: formatInstant(time) }),
    attributes: ownAttributes(attributes, () => true),
  };
}

/** A text that another receiver has changed on the way stays a text. */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function listOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
