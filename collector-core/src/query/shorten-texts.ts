import type { JsonValue } from "@obspan/sdk/wire";
import type { NormalizedSpan, TruncatedText } from "../api-schema/trace.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** A string of more bytes than this comes as a preview (contract 3). */
export const MAX_TEXT_BYTES = 4096;
/** Characters of a preview: enough to fill the place that it is shown in. */
export const PREVIEW_LENGTH = 400;

/** A span whose long texts are replaced by a preview and their size; the same span where none is long. */
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
  // fromEntries defines properties, where assignment would take a key `__proto__` for the prototype.
  return changed ? (Object.fromEntries(entries) as Record<string, JsonValue>) : value;
}

function shortenText(text: string): string | TruncatedText {
  // UTF-8 takes at most three bytes for a UTF-16 unit: most texts need no counting.
  if (text.length * 3 <= MAX_TEXT_BYTES) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_TEXT_BYTES) return text;
  return { truncated: true, bytes, preview: truncateCodePoints(text, PREVIEW_LENGTH) };
}
