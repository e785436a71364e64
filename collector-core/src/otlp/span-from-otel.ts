import type { Span, SpanEvent, Timestamp } from "@obspan/sdk/wire";
import { parseTimestamp } from "../span/timestamp.js";
import { unixNanoOf } from "./nanoseconds.js";
import { mapAttributes } from "./span-from-otlp.js";
import { FOREIGN_SPAN_LIMITS, type JsonTexts } from "./json-texts.js";
import type { OtlpEvent } from "./received-spans.js";

/**
 * Type of a span that the SDK passes on from OpenTelemetry: its attributes are those of the library that recorded it, and the
 * type follows from them.
 */
export const OTEL_SPAN_TYPE = "otel:span";

/** The status codes of OTLP by the status of such a span. Any other status is unset. */
const STATUS_CODES: Readonly<Record<string, number>> = { OK: 1, ERROR: 2 };

/** Maps a span of type `otel:span` as a span that arrives over OTLP (contract 6). Returns any other span unchanged. */
export function spanFromOtel(span: Span, texts: JsonTexts): Span {
  if (span.span_type !== OTEL_SPAN_TYPE) return span;
  texts.startSpan(FOREIGN_SPAN_LIMITS);
  const originals = new Map((span.events ?? []).map((event) => [toOtlp(event), event]));
  const attributes = new Map(Object.entries(span.attributes ?? {}));
  const scope = attributes.get("otel.scope.name");
  const description = attributes.get("otel.status_description");
  attributes.delete("otel.status_description");
  const { spanType, status, mapped, events } = mapAttributes(
    {
      name: span.name,
      startUnixNano: unixNano(span.start_time),
      attributes,
      events: [...originals.keys()],
      statusCode: STATUS_CODES[span.status ?? ""] ?? 0,
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

function toOtlp({ name, time, attributes = {} }: SpanEvent): OtlpEvent {
  return { name, timeUnixNano: unixNano(time), attributes: new Map(Object.entries(attributes)) };
}

function unixNano(time: Timestamp | undefined): bigint {
  const instant = parseTimestamp(time);
  return instant === undefined ? 0n : unixNanoOf(instant);
}
