import { ApiError } from "../api-schema/errors.js";
import { exceededBound, MAX_RARE_KEYS, MAX_VALUES, type JsonBounds } from "../span/json-bounds.js";

/** Deepest nesting of a body; the body itself is level 1 (contract 1). */
export const MAX_DEPTH = 32;

/** What a body of `POST /v1/telemetry` may have: as much takes at most some 0.15 s to parse. */
export const BATCH_BOUNDS: JsonBounds = { maxDepth: MAX_DEPTH, maxContainers: 200_000 };
/** OTLP writes a value as an object in an object, and nests one in another by three or four levels more. */
export const OTLP_JSON_BOUNDS: JsonBounds = { maxDepth: 160, maxContainers: 400_000 };

/**
 * Refuses a JSON text whose parsing would hold everybody else up, or fill the memory: its bytes are looked at before it
 * is parsed. It is free for a short one.
 *
 * @throws `ApiError` too_deep, batch_too_large.
 */
export function requireJsonBounds(json: Uint8Array, bounds: JsonBounds): void {
  const { maxDepth, maxContainers } = bounds;
  switch (exceededBound(json, bounds)) {
    case undefined:
      return;
    case "depth":
      throw new ApiError("too_deep", `The body is nested deeper than ${maxDepth} levels.`, {
        max_depth: maxDepth,
      });
    case "containers":
      throw new ApiError(
        "batch_too_large",
        `The body has more than ${maxContainers} objects and arrays. Send fewer spans a batch.`,
        { max_objects_and_arrays: maxContainers },
      );
    case "keys":
      throw new ApiError(
        "batch_too_large",
        `The body has more than ${MAX_RARE_KEYS} rare keys: numeric ones, and different ones beyond the first thousand, ` +
          "of which the first of an object counts as three. Send fewer spans a batch, or such keys as values.",
        { max_rare_keys: MAX_RARE_KEYS },
      );
    case "values":
      throw new ApiError(
        "batch_too_large",
        `The body has more than ${MAX_VALUES} keys and values. Send fewer spans a batch.`,
        { max_keys_and_values: MAX_VALUES },
      );
  }
}

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
