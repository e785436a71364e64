import { ApiError } from "../contract/errors.js";

/** Deepest nesting of a body; the body itself is level 1 (contract 1). */
export const MAX_DEPTH = 32;

/**
 * Parses a JSON text.
 *
 * @throws `ApiError` invalid_json. The parser's own message is not passed on, for it quotes the body.
 */
export function parseJson(text: string): unknown {
  if (text === "") throw new ApiError("invalid_json", "The body is empty.");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Anchored: a short body is quoted in the message, and may say "at position" itself.
    const position = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(
      error instanceof Error ? error.message : "",
    )?.[1];
    throw position === undefined
      ? new ApiError("invalid_json", "The body is not valid JSON.")
      : new ApiError("invalid_json", `The body is not valid JSON: it goes wrong at character ${position}.`, {
          position: Number(position),
        });
  }
}

/**
 * True where a parsed value is nested deeper than {@link MAX_DEPTH}. JSON.parse takes any depth, but writing such a
 * value again, or walking it, would overflow the stack later.
 */
export function isTooDeep(value: object, level = 1): boolean {
  if (level > MAX_DEPTH) return true;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      if (typeof item === "object" && item !== null && isTooDeep(item, level + 1)) return true;
    }
    return false;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const item = record[key];
    if (typeof item === "object" && item !== null && isTooDeep(item, level + 1)) return true;
  }
  return false;
}
