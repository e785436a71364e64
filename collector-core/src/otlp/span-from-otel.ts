import type { JsonValue, Span, SpanEvent, Timestamp } from "@obspan/sdk/wire";
import { isRecord } from "../span/span-facts.js";
import { parseTimestamp } from "../span/timestamp.js";
import { unixNanoOf } from "./nanoseconds.js";
import { mapAttributes } from "./span-from-otlp.js";
import { FOREIGN_SPAN_LIMITS, type JsonTexts } from "./json-texts.js";
import type { OtlpEvent } from "./received-spans.js";
import { MAX_PARTS_OF_SPAN, partsOf } from "./span-parts.js";

/**
 * Type of a span that the SDK passes on from OpenTelemetry: its attributes are those of the library that recorded it, and the
 * type follows from them.
 */
export const OTEL_SPAN_TYPE = "otel:span";

/** The status codes of OTLP by the status of such a span. Any other status is unset. */
const STATUS_CODES: ReadonlyMap<unknown, number> = new Map([
  ["OK", 1],
  ["ERROR", 2],
]);

/**
 * Maps a span of type `otel:span` as a span that arrives over OTLP (contract 6). Returns any other span unchanged, and one with
 * more than {@link MAX_PARTS_OF_SPAN} parts. Only ids and name of a received span have been checked.
 */
export function spanFromOtel(span: Span, texts: JsonTexts): Span {
  if (span.span_type !== OTEL_SPAN_TYPE) return span;
  const attributes = new Map(entriesOf(span.attributes));
  const originals = new Map(namedEvents(span.events).map((event) => [toOtlp(event), event]));
  if (partsOf({ attributes, events: [...originals.keys()] }) > MAX_PARTS_OF_SPAN) return span;
  texts.startSpan(FOREIGN_SPAN_LIMITS);
  const scope = attributes.get("otel.scope.name");
  const description = attributes.get("otel.status_description");
  attributes.delete("otel.status_description");
  const { spanType, status, mapped, events } = mapAttributes(
    {
      name: span.name,
      startUnixNano: unixNano(span.start_time),
      attributes,
      events: [...originals.keys()],
      statusCode: STATUS_CODES.get(span.status) ?? 0,
      statusMessage: typeof description === "string" ? description : "",
    },
    { name: typeof scope === "string" ? scope : "", version: "" },
    texts,
  );
  const kept = events.flatMap((event) => originals.get(event) ?? []);
  const result: Span = {
    ...span,
    span_type: spanType,
    status: span.status === "RUNNING" ? "RUNNING" : status,
    attributes: mapped,
  };
  if (kept.length > 0) result.events = kept;
  else delete result.events;
  return result;
}

/** The events that a span keeps (contract 1). */
function namedEvents(events: unknown): readonly SpanEvent[] {
  return Array.isArray(events) ? (events as unknown[]).filter(isNamedEvent) : [];
}

function isNamedEvent(event: unknown): event is SpanEvent {
  return isRecord(event) && typeof event["name"] === "string";
}

function toOtlp({ name, time, attributes }: SpanEvent): OtlpEvent {
  return { name, timeUnixNano: unixNano(time), attributes: new Map(entriesOf(attributes)) };
}

function entriesOf(attributes: unknown): [string, JsonValue][] {
  return isRecord(attributes) ? (Object.entries(attributes) as [string, JsonValue][]) : [];
}

function unixNano(time: Timestamp | undefined): bigint {
  const instant = parseTimestamp(time);
  return instant === undefined ? 0n : unixNanoOf(instant);
}
