import type { MaybePromise } from "../../../runtime/maybe-promise.js";
import { truncateCodePoints } from "../../../span/kept-text.js";
import { parseInSteps } from "../../../span/json-in-steps.js";
import { isRecord, MAX_NAME_LENGTH } from "../../../span/span-facts.js";
import type { Steps } from "../../../runtime/steps.js";
import { SMALL_SPAN_BYTES } from "../../../span/stored-span.js";
import { foldCase } from "./case-folding.js";
import { JsonTextSearch, PIECE_BYTES } from "./json-text-search.js";
import { holdForReading, type SliceMemory, type SpanSlice } from "../bytes/segment-store.js";
import type { SpanStore } from "../span-store.js";
import type { TimeSlice } from "../../../runtime/time-slice.js";
import type { TraceRecord } from "../../traces/trace-record.js";

/** Cost of visiting a value, in characters. */
const LENGTH_PER_VALUE = 16;

/** Yields to other work if the time slice is over. */
type Pause = () => Promise<void> | undefined;

/**
 * Searches spans for a text: in their names and in all strings of their attributes, in any letter case and in
 * both Unicode normal forms: composed text matches decomposed text.
 */
export class TextSearch {
  readonly #spans: SpanStore;
  /** The distinct normal forms, case-folded. */
  readonly #folded: readonly string[];
  readonly #json: JsonTextSearch;
  /** Results by start of the searched bytes: the spans of a batch are searched together. */
  readonly #results = new WeakMap<SliceMemory, Map<number, boolean>>();
  /** Characters of a large span visited since the last step. */
  #lengthSinceStep = 0;
  /** Bytes searched since the last check of the clock. */
  #bytesSinceCheck = 0;

  constructor(text: string, spans: SpanStore) {
    this.#spans = spans;
    this.#folded = [...new Set([text, text.normalize("NFC"), text.normalize("NFD")].map(foldCase))];
    this.#json = new JsonTextSearch(this.#folded);
  }

  /** True if a span of the trace has the text. Keeps its spans readable if the trace is evicted meanwhile. */
  async matches(trace: TraceRecord, timeSlice: TimeSlice): Promise<boolean> {
    const places = this.#spans.rowsOf(trace).map((row) => this.#spans.place(row));
    let release: (() => void) | undefined;
    const pause: Pause = () => {
      if (!timeSlice.isOver()) return undefined;
      // The store cannot change before the first yield.
      release ??= holdForReading(places.map(({ surroundings }) => surroundings));
      return timeSlice.next();
    };
    try {
      for (const { surroundings, slice } of places) {
        const found = this.#resultOf(surroundings) ?? this.#search(surroundings, pause);
        if (!(typeof found === "boolean" ? found : await found)) continue;
        if (await this.#isInSpan(slice(), surroundings, pause)) return true;
        await pause();
      }
      return false;
    } finally {
      release?.();
    }
  }

  /** The result of an earlier search of the same bytes. */
  #resultOf({ memory, start }: SpanSlice): boolean | undefined {
    return this.#results.get(memory)?.get(start);
  }

  #search(surroundings: SpanSlice, pause: Pause): MaybePromise<boolean> {
    const { memory, start } = surroundings;
    const remember = (found: boolean): boolean => {
      const results = this.#results.get(memory);
      if (results === undefined) this.#results.set(memory, new Map([[start, found]]));
      else results.set(start, found);
      return found;
    };
    const found = this.#mayBeIn(surroundings, pause);
    return typeof found === "boolean" ? remember(found) : found.then(remember);
  }

  /** Searches bytes; a promise if they are many or the time slice may be over. */
  #mayBeIn({ memory, start, end }: SpanSlice, pause: Pause): MaybePromise<boolean> {
    const next = this.#json.passOver(memory.bytes, start, end);
    if (next === undefined) return true;
    this.#bytesSinceCheck += next - start;
    if (next === end && this.#bytesSinceCheck < PIECE_BYTES) return false;
    return this.#mayBeInRest({ memory, start: next, end }, pause);
  }

  async #mayBeInRest({ memory, start, end }: SpanSlice, pause: Pause): Promise<boolean> {
    for (let at = start; ;) {
      this.#bytesSinceCheck = 0;
      await pause();
      if (at === end) return false;
      const next = this.#json.passOver(memory.bytes, at, end);
      if (next === undefined) return true;
      at = next;
    }
  }

  async #isInSpan(slice: SpanSlice, surroundings: SpanSlice, pause: Pause): Promise<boolean> {
    const { memory, start, end } = slice;
    // The match may be in another span of the batch.
    const isAlone = end - start === surroundings.end - surroundings.start;
    if (!isAlone && !(await this.#mayBeIn(slice, pause))) return false;
    const steps = this.#spanMatches(memory.bytes, start, end);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await pause();
    }
  }

  *#spanMatches(json: Buffer, start: number, end: number): Steps<boolean> {
    const isSmall = end - start <= SMALL_SPAN_BYTES;
    const span: unknown = isSmall
      ? JSON.parse(json.toString("utf8", start, end))
      : yield* parseInSteps(json, start);
    const { name, attributes } = span as Record<string, unknown>;
    if (typeof name === "string" && this.#matches(truncateCodePoints(name, MAX_NAME_LENGTH))) return true;
    if (!isRecord(attributes)) return false;
    return isSmall ? this.#isInValue(attributes) : yield* this.#isInLargeValue(attributes);
  }

  *#isInLargeValue(value: unknown): Steps<boolean> {
    if (typeof value === "string") return yield* this.#isInLongText(value);
    if (typeof value !== "object" || value === null) return false;
    // Not `for…in` over a list: it creates a string for each index.
    for (const item of Array.isArray(value) ? (value as unknown[]) : valuesOf(value)) {
      this.#lengthSinceStep += LENGTH_PER_VALUE + (typeof item === "string" ? item.length : 0);
      if (this.#lengthSinceStep > PIECE_BYTES) {
        this.#lengthSinceStep = 0;
        yield;
      }
      const isShort = typeof item === "string" ? item.length <= PIECE_BYTES : typeof item !== "object";
      if (isShort ? this.#isInValue(item) : yield* this.#isInLargeValue(item)) return true;
    }
    return false;
  }

  /** Searches pieces that overlap, so that a match across their border is found. */
  *#isInLongText(text: string): Steps<boolean> {
    const overlap = this.#folded.reduce((longest, { length }) => Math.max(longest, length), 0) + 2;
    for (let at = 0; at < text.length; at += PIECE_BYTES) {
      // eslint-disable-next-line obspan/no-uncopied-part -- compared, and not kept
      if (this.#matches(text.slice(at, at + PIECE_BYTES + overlap))) return true;
      yield;
    }
    return false;
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

function* valuesOf(object: object): Generator {
  for (const key in object) yield (object as Record<string, unknown>)[key];
}
