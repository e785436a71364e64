import { ApiError } from "../api-schema/errors.js";
import {
  exceededBound,
  MAX_RARE_KEYS,
  MAX_RARE_STRINGS,
  MAX_VALUES,
  type JsonBounds,
} from "../span/json-bounds.js";

/** Maximum nesting of a body; the body itself is level 1 (contract 1). */
export const MAX_DEPTH = 32;

/** Bounds of a body of `POST /v1/telemetry`. A body within them takes at most about 0.15 s to parse. */
export const BATCH_BOUNDS: JsonBounds = { maxDepth: MAX_DEPTH, maxContainers: 200_000 };
/** OTLP writes a value as an object in an object, and each level of a nested value as three or four levels of JSON. */
export const OTLP_JSON_BOUNDS: JsonBounds = { maxDepth: 160, maxContainers: 400_000 };

/**
 * Bounds of the spans of an OTLP request as JSON, which the queue may parse again in one turn of the event loop. The
 * attributes of a resource are repeated on each root span, so a small request can become many objects.
 */
export const MAPPED_BOUNDS: JsonBounds = {
  maxDepth: OTLP_JSON_BOUNDS.maxDepth,
  maxContainers: 600_000,
  maxRareKeys: 2 * MAX_RARE_KEYS,
  maxRareStrings: 2 * MAX_RARE_STRINGS,
};

/**
 * Refuses JSON that would block the event loop or fill the memory when it is parsed. Scans the bytes before parsing;
 * skips short bodies.
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
        `The body has more than ${maxContainers} objects and arrays. Send fewer spans in a batch.`,
        { max_objects_and_arrays: maxContainers },
      );
    case "keys":
      throw new ApiError(
        "batch_too_large",
        `The body has more than ${MAX_RARE_KEYS} rare keys: numeric keys, and different keys beyond the first thousand, ` +
          "of which the first in an object counts as three. Send fewer spans in a batch, or send such keys as values.",
        { max_rare_keys: MAX_RARE_KEYS },
      );
    case "strings":
      throw new ApiError(
        "batch_too_large",
        `The body has more than ${MAX_RARE_STRINGS} rare short strings: different values of at most 10 characters, beyond ` +
          "the first thousand. Send fewer spans in a batch.",
        { max_rare_short_strings: MAX_RARE_STRINGS },
      );
    case "values":
      throw new ApiError(
        "batch_too_large",
        `The body has more than ${MAX_VALUES} keys and values. Send fewer spans in a batch.`,
        { max_keys_and_values: MAX_VALUES },
      );
  }
}

/**
 * Parses a JSON text.
 *
 * @throws `ApiError` invalid_json, without the message of the parser, because it quotes the body.
 */
export function parseJson(text: string): unknown {
  if (text === "") throw new ApiError("invalid_json", "The body is empty.");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Anchored, because the message quotes a short body, which may contain "at position".
    const position = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(
      error instanceof Error ? error.message : "",
    )?.[1];
    throw position === undefined
      ? new ApiError("invalid_json", "The body is not valid JSON.")
      : new ApiError("invalid_json", `The body is not valid JSON: syntax error at character ${position}.`, {
          position: Number(position),
        });
  }
}

/**
 * Returns true if a parsed value is nested deeper than {@link MAX_DEPTH}. JSON.parse accepts any depth, but JSON.stringify
 * or a recursive walk would overflow the stack.
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
