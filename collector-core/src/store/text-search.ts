import { truncateCodePoints } from "../span/kept-text.js";
import { isRecord, MAX_NAME_LENGTH } from "../span/span-facts.js";
import { foldCase } from "./case-folding.js";
import { jsonTextPattern } from "./json-text-pattern.js";
import { holdForReading, type SliceMemory, type SpanSlice } from "./segment-store.js";
import type { SpanStore } from "./span-store.js";
import type { TimeSlice } from "../time-slice.js";
import type { TraceRecord } from "./trace-record.js";

/**
 * Searches spans for a text: in their names and in all strings of their attributes, in any letter case, and with the
 * marks of its letters in them or behind them. What a keyboard or a file system takes apart is found by what another
 * puts together.
 */
export class TextSearch {
  /** The ways to write it, mostly one. */
  readonly #folded: readonly string[];
  readonly #pattern: RegExp;
  /** Whether the pattern was found, by where the bytes begin: the spans of a batch are looked through together. */
  readonly #looked = new WeakMap<SliceMemory, Map<number, boolean>>();

  constructor(
    text: string,
    private readonly spans: SpanStore,
  ) {
    this.#folded = [...new Set([text, text.normalize("NFC"), text.normalize("NFD")].map(foldCase))];
    this.#pattern = jsonTextPattern(this.#folded);
  }

  /** True where a span of the trace has the text. They are read even if the trace is evicted meanwhile. */
  async isIn(trace: TraceRecord, timeSlice: TimeSlice): Promise<boolean> {
    const { spans } = this;
    const rows = spans.rowsOf(trace).filter((row) => this.#mayBeIn(spans.surroundings(row)));
    if (rows.length === 0) return false;
    const slices = rows.map((row) => spans.slice(row));
    const release = holdForReading(slices);
    try {
      for (const slice of slices) {
        if (this.#isIn(slice)) return true;
        if (timeSlice.isOver()) await timeSlice.next();
      }
      return false;
    } finally {
      release();
    }
  }

  #mayBeIn(surroundings: SpanSlice): boolean {
    const { memory, start } = surroundings;
    let looked = this.#looked.get(memory);
    if (looked === undefined) {
      looked = new Map();
      this.#looked.set(memory, looked);
    }
    let found = looked.get(start);
    if (found === undefined) {
      found = this.#findsPattern(surroundings);
      looked.set(start, found);
    }
    return found;
  }

  #findsPattern({ memory, start, end }: SpanSlice): boolean {
    return this.#pattern.test(memory.bytes.toString("latin1", start, end));
  }

  #isIn(slice: SpanSlice): boolean {
    // What was found may be in another span of the batch.
    if (!this.#findsPattern(slice)) return false;
    const { memory, start, end } = slice;
    const { name, attributes } = JSON.parse(memory.bytes.toString("utf8", start, end)) as Record<
      string,
      unknown
    >;
    if (typeof name === "string" && this.#matches(truncateCodePoints(name, MAX_NAME_LENGTH))) return true;
    return isRecord(attributes) && this.#isInValue(attributes);
  }

  #isInValue(value: unknown): boolean {
    if (typeof value === "string") return this.#matches(value);
    if (typeof value !== "object" || value === null) return false;
    return Object.values(value).some((inner) => this.#isInValue(inner));
  }

  #matches(text: string): boolean {
    const folded = foldCase(text);
    return this.#folded.some((wanted) => folded.includes(wanted));
  }
}
