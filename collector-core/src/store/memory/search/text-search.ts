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

/** Characters that take as long as a value does. */
const LENGTH_PER_VALUE = 16;

/** Lets others have their turn, where it is time for that. */
type Pause = () => Promise<void> | undefined;

/**
 * Searches spans for a text: in their names and in all strings of their attributes, in any letter case, and with the
 * marks of its letters in them or behind them. What a keyboard or a file system takes apart is found by what another
 * puts together.
 */
export class TextSearch {
  /** The ways to write it, mostly one. */
  readonly #folded: readonly string[];
  readonly #json: JsonTextSearch;
  /** Whether it was found, by where the bytes begin: the spans of a batch are looked through together. */
  readonly #looked = new WeakMap<SliceMemory, Map<number, boolean>>();
  /** Of the values of a large span that were looked at. */
  #lengthSinceStep = 0;
  /** Bytes that were looked through since the last look at the clock. */
  #bytesSinceLook = 0;

  constructor(
    text: string,
    private readonly spans: SpanStore,
  ) {
    this.#folded = [...new Set([text, text.normalize("NFC"), text.normalize("NFD")].map(foldCase))];
    this.#json = new JsonTextSearch(this.#folded);
  }

  /** True where a span of the trace has the text. They are read even if the trace is evicted meanwhile. */
  async isIn(trace: TraceRecord, timeSlice: TimeSlice): Promise<boolean> {
    const places = this.spans.rowsOf(trace).map((row) => this.spans.place(row));
    let release: (() => void) | undefined;
    const pause: Pause = () => {
      if (!timeSlice.isOver()) return undefined;
      // The bytes stay where they are until others have their turn.
      release ??= holdForReading(places.map(({ surroundings }) => surroundings));
      return timeSlice.next();
    };
    try {
      for (const { surroundings, slice } of places) {
        const found = this.#foundIn(surroundings) ?? this.#look(surroundings, pause);
        if (!(typeof found === "boolean" ? found : await found)) continue;
        if (await this.#isInSpan(slice(), surroundings, pause)) return true;
        await pause();
      }
      return false;
    } finally {
      release?.();
    }
  }

  /** What is known of the bytes. */
  #foundIn({ memory, start }: SpanSlice): boolean | undefined {
    return this.#looked.get(memory)?.get(start);
  }

  #look(surroundings: SpanSlice, pause: Pause): MaybePromise<boolean> {
    const { memory, start } = surroundings;
    const remember = (found: boolean): boolean => {
      const looked = this.#looked.get(memory);
      if (looked === undefined) this.#looked.set(memory, new Map([[start, found]]));
      else looked.set(start, found);
      return found;
    };
    const found = this.#mayBeIn(surroundings, pause);
    return typeof found === "boolean" ? remember(found) : found.then(remember);
  }

  /** Looks for the text in the bytes: a promise where they are many, or it is time for others. */
  #mayBeIn({ memory, start, end }: SpanSlice, pause: Pause): MaybePromise<boolean> {
    const next = this.#json.passOver(memory.bytes, start, end);
    if (next === undefined) return true;
    this.#bytesSinceLook += next - start;
    if (next === end && this.#bytesSinceLook < PIECE_BYTES) return false;
    return this.#isInRest({ memory, start: next, end }, pause);
  }

  async #isInRest({ memory, start, end }: SpanSlice, pause: Pause): Promise<boolean> {
    for (let at = start; ;) {
      this.#bytesSinceLook = 0;
      await pause();
      if (at === end) return false;
      const next = this.#json.passOver(memory.bytes, at, end);
      if (next === undefined) return true;
      at = next;
    }
  }

  async #isInSpan(slice: SpanSlice, surroundings: SpanSlice, pause: Pause): Promise<boolean> {
    const { memory, start, end } = slice;
    // What was found may be in another span of the batch.
    const isAlone = end - start === surroundings.end - surroundings.start;
    if (!isAlone && !(await this.#mayBeIn(slice, pause))) return false;
    const steps = this.#spanHasIt(memory.bytes, start, end);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await pause();
    }
  }

  *#spanHasIt(json: Buffer, start: number, end: number): Steps<boolean> {
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
    // A loop over the keys of a list would make a text of each index first.
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

  /** Piece by piece: each begins with what may be the beginning of a match at the end of the one before. */
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
