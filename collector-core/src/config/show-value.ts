/** What stands for the value of a secret, wherever values are shown. */
export const HIDDEN = "***";

/** Characters that a value may take up in a message. */
const SHOWN_LENGTH = 200;

/** A value as an environment variable would carry it; `unset` where there is none. */
export function formatValue(value: unknown): string {
  if (value === undefined) return "unset";
  if (Array.isArray(value)) return value.length === 0 ? "empty" : value.map(formatValue).join(", ");
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return "empty";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What was written, as it stands in a problem: on one line, and cut where it is long. */
export function showRaw(raw: string): string {
  const line = raw.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "\u{FFFD}");
  const points = Array.from(line);
  return points.length > SHOWN_LENGTH ? `${points.slice(0, SHOWN_LENGTH).join("")}…` : line;
}
