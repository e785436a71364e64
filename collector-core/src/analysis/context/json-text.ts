import { isRecord } from "../values.js";
import type { Steps } from "../in-steps.js";

/** Values that are written in one step. */
const WRITTEN_AT_ONCE = 5000;

/** JSON of a value, without spaces. One of many values is written in steps. */
export function* jsonText(value: unknown): Steps<string> {
  if (countOf(value, WRITTEN_AT_ONCE) < WRITTEN_AT_ONCE) return JSON.stringify(value ?? null);
  const texts: string[] = [];
  if (Array.isArray(value))
    for (const item of value as readonly unknown[]) {
      texts.push(yield* jsonText(item));
      if (texts.length % WRITTEN_AT_ONCE === 0) yield;
    }
  if (Array.isArray(value)) return `[${texts.join(",")}]`;
  for (const [key, item] of Object.entries(isRecord(value) ? value : {})) {
    texts.push(`${JSON.stringify(key)}:${yield* jsonText(item)}`);
    if (texts.length % WRITTEN_AT_ONCE === 0) yield;
  }
  return `{${texts.join(",")}}`;
}

/** The values inside a value, with itself; stops at `enough`. */
function countOf(value: unknown, enough: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const item of Object.values(value)) {
    count += countOf(item, enough - count);
    if (count >= enough) return enough;
  }
  return count;
}
