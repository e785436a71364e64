import type { MaybePromise } from "../../../runtime/maybe-promise.js";
import { JsonTextSearch, PIECE_BYTES } from "./json-text-search.js";
import { holdForReading, type SliceMemory, type SpanSlice } from "../bytes/segment-store.js";
import type { SpanStore } from "../span-store.js";
import type { SpanPredicate } from "./span-predicate.js";
import { runInTurns } from "../../../runtime/steps.js";
import type { TimeSlice } from "../../../runtime/time-slice.js";
import type { TraceRecord } from "../../traces/trace-record.js";

/** Yields to other work if the time slice is over. */
type Pause = () => Promise<void> | undefined;

/** Searches the spans of traces for one that meets a predicate. */
export class TextSearch {
  readonly #spans: SpanStore;
  readonly #predicate: SpanPredicate;
  readonly #json: readonly JsonTextSearch[];
  /** Results by start of the searched bytes: the spans of a batch are searched together. */
  readonly #results = new WeakMap<SliceMemory, Map<number, boolean>>();
  /** Bytes searched since the last check of the clock. */
  #bytesSinceCheck = 0;

  constructor(predicate: SpanPredicate, spans: SpanStore) {
    this.#spans = spans;
    this.#predicate = predicate;
    this.#json = predicate.searched.map(
      ({ folded, isInKeys }) => new JsonTextSearch(folded, PIECE_BYTES, isInKeys),
    );
  }

  /** True if a span of the trace meets the predicate. Keeps its spans readable if the trace is evicted meanwhile. */
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
  #mayBeIn(slice: SpanSlice, pause: Pause, first = 0): MaybePromise<boolean> {
    const { memory, start, end } = slice;
    for (let index = first; index < this.#json.length; index++) {
      const json = this.#json[index] as JsonTextSearch;
      const next = json.passOver(memory.bytes, start, end);
      if (next === undefined) continue;
      this.#bytesSinceCheck += next - start;
      if (next === end && this.#bytesSinceCheck < PIECE_BYTES) return false;
      return this.#mayBeInRest(slice, index, next, pause);
    }
    return true;
  }

  /** Goes on with one of the texts. */
  async #mayBeInRest(slice: SpanSlice, index: number, from: number, pause: Pause): Promise<boolean> {
    const { memory, end } = slice;
    for (let at = from; ;) {
      this.#bytesSinceCheck = 0;
      await pause();
      if (at === end) return false;
      const next = (this.#json[index] as JsonTextSearch).passOver(memory.bytes, at, end);
      if (next === undefined) return await this.#mayBeIn(slice, pause, index + 1);
      at = next;
    }
  }

  async #isInSpan(slice: SpanSlice, surroundings: SpanSlice, pause: Pause): Promise<boolean> {
    const { memory, start, end } = slice;
    // The match may be in another span of the batch.
    const isAlone = end - start === surroundings.end - surroundings.start;
    if (!isAlone && !(await this.#mayBeIn(slice, pause))) return false;
    return await runInTurns(this.#predicate.matches(memory.bytes, start, end), pause);
  }
}
