import type { JsonValue } from "@obspan/sdk/wire";
import type { NormalizedSpan, TruncatedText } from "../api-schema/trace.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** Which texts of a response are long. */
export interface TextLimit {
  /** Strings with more bytes are replaced by a preview (contract 3). */
  readonly maxBytes: number;
  /** Characters of a preview. */
  readonly previewLength: number;
}

export const TEXT_LIMIT: TextLimit = { maxBytes: 4096, previewLength: 400 };
/** Of a response that is long already. */
export const SHORT_TEXT_LIMIT: TextLimit = { maxBytes: 256, previewLength: 100 };

/** Replaces long texts of a span by a preview and their size. Returns the same span if none is long. */
export function shortenTexts(span: NormalizedSpan, limit = TEXT_LIMIT): unknown {
  const attributes = shorten(span.attributes, limit);
  const events = shorten(span.events as unknown as JsonValue, limit);
  if (attributes === span.attributes && events === (span.events as unknown)) return span;
  return { ...span, attributes, events };
}

function shorten(value: JsonValue, limit: TextLimit): JsonValue | TruncatedText {
  if (typeof value === "string") return shortenText(value, limit);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => shorten(item, limit));
    return items.some((item, index) => item !== value[index]) ? (items as JsonValue[]) : value;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, shorten(item, limit)] as const);
  const changed = entries.some(([key, item]) => item !== value[key]);
  // fromEntries defines properties: an assignment to `__proto__` would set the prototype.
  return changed ? (Object.fromEntries(entries) as Record<string, JsonValue>) : value;
}

function shortenText(text: string, { maxBytes, previewLength }: TextLimit): string | TruncatedText {
  // A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no counting.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  return { truncated: true, bytes, preview: truncateCodePoints(text, previewLength) };
}
