import type { JsonValue } from "@obspan/sdk/wire";
import type { NormalizedSpan, TruncatedText } from "../api-schema/trace.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** A longer text is cut: it is searched for personal data in one piece. */
export const MAX_TEXT_LENGTH = 50_000;
/** Left behind the cut for the redactor, which then cuts itself: it leaves no part of a secret that the cut would split. */
const MARGIN = 8192;

/** Cuts the long texts of a span, and says how long they are. Returns the same span if none is long. */
export function cutTexts(span: NormalizedSpan): NormalizedSpan {
  const attributes = cut(span.attributes);
  const events = span.events.map(cutEvent);
  const isSame = events.every((event, index) => event === span.events[index]);
  if (attributes === span.attributes && isSame) return span;
  return { ...span, attributes: attributes as NormalizedSpan["attributes"], events };
}

type SpanEvent = NormalizedSpan["events"][number];

/** The name of an event stays a text. */
function cutEvent(event: SpanEvent): SpanEvent {
  const attributes = cut(event.attributes ?? {}) as NonNullable<SpanEvent["attributes"]>;
  const isLong = event.name.length > MAX_TEXT_LENGTH;
  if (!isLong && (event.attributes === undefined || attributes === event.attributes)) return event;
  const name = isLong ? truncateCodePoints(event.name, MAX_TEXT_LENGTH + MARGIN) : event.name;
  return { ...event, name, attributes };
}

function cut(value: JsonValue): JsonValue | TruncatedText {
  if (typeof value === "string") return cutText(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = value.map(cut);
    return items.some((item, index) => item !== value[index]) ? (items as JsonValue[]) : value;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, cut(item)] as const);
  const isSame = entries.every(([key, item]) => item === value[key]);
  // fromEntries defines properties: an assignment to `__proto__` would set the prototype.
  return isSame ? value : (Object.fromEntries(entries) as Record<string, JsonValue>);
}

function cutText(text: string): string | TruncatedText {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  return {
    truncated: true,
    bytes: Buffer.byteLength(text),
    preview: truncateCodePoints(text, MAX_TEXT_LENGTH + MARGIN),
  };
}
