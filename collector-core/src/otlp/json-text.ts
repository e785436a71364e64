import type { JsonValue } from "@obspan/sdk/wire";
import { exceededBound, SHORTEST_SCANNED } from "../span/json-bounds.js";

/** Objects and arrays that are read from the JSON texts of one request at most: more stay texts. */
const MAX_CONTAINERS = 400_000;
/**
 * The same of one span of another library, whose texts may be messages in any layout. A long conversation has some
 * thousand. Each takes some two microseconds until it is mapped, and a span is mapped in one turn of the event loop.
 */
export const MAX_FOREIGN_CONTAINERS = 50_000;

/** What the texts of a request may still have. */
export interface JsonTextBudget {
  left: number;
}

let budget: JsonTextBudget = { left: MAX_CONTAINERS };
/** What has to stay of the budget when the texts of a span have been read. */
let reserved = 0;

/** The budget of a request. */
export function jsonTextBudget(): JsonTextBudget {
  return { left: MAX_CONTAINERS };
}

/** A span of a request begins: its texts may have so many objects and arrays together. */
export function beginJsonTexts(ofRequest: JsonTextBudget, maxContainers = MAX_CONTAINERS): void {
  budget = ofRequest;
  reserved = Math.max(0, budget.left - maxContainers);
}

/**
 * What a text of JSON says, as in an attribute that can only be a text.
 *
 * @param maxDepth - deepest nesting.
 * @returns undefined where it is no JSON, is nested deeper, or has more in it than a span or its request may have: it stays a text.
 */
export function readJsonText(text: string, maxDepth: number): JsonValue | undefined {
  const allowed = budget.left - reserved;
  if (allowed <= 0) return undefined;
  if (text.length >= SHORTEST_SCANNED) {
    const bounds = { maxDepth, maxContainers: allowed };
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
  budget.left--;
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
