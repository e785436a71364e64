import { oneLine } from "./attributes.js";

/** Longest shape, in characters. */
const LENGTH = 200;

/**
 * What errors of one kind have in common: the first line of the message without the numbers and ids that differ each time.
 * `order 48190 not found` and `order 48201 not found` have the shape `order # not found`.
 */
export function errorShape(message: string): string {
  const line = message.trimStart().split("\n", 1)[0] ?? "";
  return oneLine(
    line
      .slice(0, LENGTH * 4)
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>")
      .replace(/\b[0-9a-f]{8,64}\b/gi, (text) => (/\d/.test(text) ? "<id>" : text))
      .replace(/\d+(?:[.,:]\d+)*/g, "#"),
    LENGTH,
  );
}
