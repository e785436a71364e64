/** Replaces a secret wherever values are shown. */
export const HIDDEN = "***";

/** Longest value in a message, in code points. */
const SHOWN_LENGTH = 200;

/** A value as text, in the syntax of environment variables; `unset` for undefined. */
export function formatValue(value: unknown): string {
  if (value === undefined) return "unset";
  if (Array.isArray(value)) return value.length === 0 ? "empty" : value.map(formatValue).join(", ");
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return "empty";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Raw input as shown in a problem: on one line, truncated if it is long. */
export function showRaw(raw: string): string {
  const line = raw.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "\u{FFFD}");
  const points = Array.from(line);
  return points.length > SHOWN_LENGTH ? `${points.slice(0, SHOWN_LENGTH).join("")}…` : line;
}
