import type { TruncatedText } from "../api-schema/trace.js";
import type { JsonValue } from "@obspan/sdk/wire";

/** A text, or the preview of a truncated one. */
export type LongText = string | TruncatedText;

/** Whether a value represents a text that the collector truncated. */
export function isTruncated(value: unknown): value is TruncatedText {
  if (!isRecord(value) || Object.keys(value).length !== 3) return false;
  const { truncated, bytes, preview } = value;
  return truncated === true && typeof bytes === "number" && typeof preview === "string";
}

/** Whether a value is a text, truncated or not. */
export function isLongText(value: unknown): value is LongText {
  return typeof value === "string" || isTruncated(value);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Total bytes of the truncated texts inside a value. Uses a stack of its own: a deeply nested value would overflow the call
 * stack.
 */
export function truncatedBytes(value: unknown): number {
  let bytes = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const item = pending.pop();
    if (isTruncated(item)) bytes += item.bytes;
    else if (typeof item === "object" && item !== null)
      for (const inner of Object.values(item)) pending.push(inner);
  }
  return bytes;
}

/** JSON on one line with spaces: `{"order_id": "48190"}`. Truncated texts appear as their preview. */
export function inlineJson(value: unknown): string {
  // A line break is always between values: inside strings it is escaped.
  return prettyJson(withPreviews(value))
    .replace(/([{[])\n */g, "$1")
    .replace(/\n *([}\]])/g, "$1")
    .replace(/\n */g, " ");
}

/** With more values, JSON stays on one line: indentation would multiply its length. */
const MAX_INDENTED_VALUES = 100_000;

/** JSON, indented by two spaces. */
export function prettyJson(value: unknown): string {
  const isIndented = countValues(value, MAX_INDENTED_VALUES) <= MAX_INDENTED_VALUES;
  return JSON.stringify(value ?? null, null, isIndented ? 2 : 0);
}

/** Number of values inside a value, including itself. Stops counting after `enough`. */
function countValues(value: unknown, enough: number): number {
  if (value === null || typeof value !== "object") return 1;
  let count = 1;
  for (const item of Object.values(value)) {
    if (count > enough) break;
    count += countValues(item, enough - count);
  }
  return count;
}

function withPreviews(value: unknown): unknown {
  if (isTruncated(value)) return `${value.preview}…`;
  if (Array.isArray(value)) return value.map(withPreviews);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPreviews(item)]));
}

/** Longer texts are not parsed as JSON, because that would block the page. */
const MAX_PARSED = 500_000;
/** Deeper JSON stays a text; the collector does not accept deeper values either. */
const MAX_PARSED_DEPTH = 32;

/** The object or array that a text contains as JSON, otherwise undefined. */
export function parseJsonText(text: string): JsonValue | undefined {
  const start = text.trimStart()[0];
  if ((start !== "{" && start !== "[") || text.length > MAX_PARSED || isDeep(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Whether JSON is nested too deeply to show. Checked before parsing, because walking a deep value overflows the stack.
 */
function isDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === "\\" && inString) at++;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === "{" || character === "[") {
      if (++depth > MAX_PARSED_DEPTH) return true;
    } else if (character === "}" || character === "]") depth--;
  }
  return false;
}
