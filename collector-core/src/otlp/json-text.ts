import type { JsonValue } from "@obspan/sdk/wire";
import { exceededBound, SHORTEST_SCANNED } from "../span/json-bounds.js";

/** Objects and arrays that are read from the JSON texts of one request at most: more stay texts. */
const MAX_CONTAINERS = 400_000;

let left = MAX_CONTAINERS;

/** A request begins, whose texts may have so many objects and arrays together. Mapping one takes one turn of the loop. */
export function beginJsonTexts(): void {
  left = MAX_CONTAINERS;
}

/**
 * What a text of JSON says, as in an attribute that can only be a text.
 *
 * @param maxDepth - deepest nesting.
 * @returns undefined where it is no JSON, is nested deeper, or has more in it than a request may have: it stays a text.
 */
export function readJsonText(text: string, maxDepth: number): JsonValue | undefined {
  if (left <= 0) return undefined;
  if (text.length >= SHORTEST_SCANNED) {
    const bounds = { maxDepth, maxContainers: left };
    if (exceededBound(Buffer.from(text), bounds) !== undefined) return undefined;
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  return typeof value !== "object" || value === null || isShallow(value, maxDepth) ? value : undefined;
}

/** True where a value is nested no deeper than so many levels. Its objects and arrays are counted on the way. */
export function isShallow(value: object, levels: number): boolean {
  left--;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      if (typeof item === "object" && item !== null && !isShallow(item, levels - 1)) return false;
    }
    return true;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const item = record[key];
    if (typeof item === "object" && item !== null && !isShallow(item, levels - 1)) return false;
  }
  return true;
}
