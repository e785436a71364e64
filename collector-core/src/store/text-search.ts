import { isRecord, MAX_NAME_LENGTH, truncateCodePoints } from "../span/span-facts.js";
import type { SpanSlice } from "./segment-store.js";
import { keepReadable } from "./span-store.js";
import type { TimeSlice } from "./time-slice.js";

/** What JSON writes with a backslash, `\u` apart. */
const ESCAPABLE = /["\\/\b\f\n\r\t]/;

/** Searches spans for a text: in their names and in all strings of their attributes, in any letter case. */
export class TextSearch {
  readonly #folded: string;
  /** The longest part of the text that JSON writes as it is: bytes without it need not be parsed. */
  readonly #plainPart: string;

  constructor(text: string) {
    this.#folded = foldCase(text);
    this.#plainPart = this.#folded
      .split(ESCAPABLE)
      .reduce((longest, part) => (part.length > longest.length ? part : longest), "");
  }

  /** True where one of the slices has the text. They are read even if their trace is evicted meanwhile. */
  async isInAny(slices: readonly SpanSlice[], timeSlice: TimeSlice): Promise<boolean> {
    let areKept = false;
    for (const slice of slices) {
      if (this.#isIn(slice)) return true;
      if (!timeSlice.isOver()) continue;
      if (!areKept) keepReadable(slices);
      areKept = true;
      await timeSlice.next();
    }
    return false;
  }

  #isIn({ memory, start, end }: SpanSlice): boolean {
    const json = memory.bytes.toString("utf8", start, end);
    // A string written with \u escapes says nothing until it is parsed.
    if (!json.includes("\\u") && !foldCase(json).includes(this.#plainPart)) return false;
    const span = JSON.parse(json) as Record<string, unknown>;
    const { name, attributes } = span;
    if (typeof name === "string" && this.#matches(truncateCodePoints(name, MAX_NAME_LENGTH))) return true;
    return isRecord(attributes) && this.#isInValue(attributes);
  }

  #isInValue(value: unknown): boolean {
    if (typeof value === "string") return this.#matches(value);
    if (typeof value !== "object" || value === null) return false;
    return Object.values(value).some((inner) => this.#isInValue(inner));
  }

  #matches(text: string): boolean {
    return foldCase(text).includes(this.#folded);
  }
}

/**
 * Lower case first, then upper: so `ß` equals `SS`, the final `ς` equals `σ`, and the Kelvin sign equals `k`. ASCII
 * costs two passes over the text and no more.
 */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}
