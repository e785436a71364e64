import type { JsonValue } from "@obspan/sdk/wire";
import type { NormalizedSpan, TruncatedText } from "../api-schema/trace.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** Strings with more bytes are replaced by a preview (contract 3). */
export const MAX_TEXT_BYTES = 4096;
/** Characters of a preview. */
export const PREVIEW_LENGTH = 400;

/** Replaces long texts of a span by a preview and their size. Returns the same span if none is long. */
export function shortenTexts(span: NormalizedSpan): unknown {
  const attributes = shorten(span.attributes);
  const events = shorten(span.events as unknown as JsonValue);
  if (attributes === span.attributes && events === (span.events as unknown)) return span;
  return { ...span, attributes, events };
}

function shorten(value: JsonValue): JsonValue | TruncatedText {
  if (typeof value === "string") return shortenText(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = value.map(shorten);
    return items.some((item, index) => item !== value[index]) ? (items as JsonValue[]) : value;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, shorten(item)] as const);
  const changed = entries.some(([key, item]) => item !== value[key]);
  // fromEntries defines properties: an assignment to `__proto__` would set the prototype.
  return changed ? (Object.fromEntries(entries) as Record<string, JsonValue>) : value;
}

function shortenText(text: string): string | TruncatedText {
  // A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no counting.
  if (text.length * 3 <= MAX_TEXT_BYTES) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_TEXT_BYTES) return text;
  return { truncated: true, bytes, preview: truncateCodePoints(text, PREVIEW_LENGTH) };
}
