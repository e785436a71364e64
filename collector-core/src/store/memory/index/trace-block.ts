import type { Instant } from "../../../span/timestamp.js";
import type { TracePlace, TraceRecord } from "../../traces/trace-record.js";
import type { TraceValues } from "../../traces/trace-values.js";

/** Traces of a block: few enough that a trace that outlives all its neighbours holds little memory. */
const TRACES = 256;

const FLOAT = { startEpochMs: 0, durationMs: 1, costUsd: 2, holdsUntilMs: 3 } as const;
const FLOAT_FIELDS = 4;

/** What a trace is filtered, counted and ordered by: nothing that needs its text. */
export interface TraceFacts {
  readonly values: TraceValues;
  /** The earliest start. */
  readonly start: Instant;
  readonly durationMs: number;
  readonly costUsd: number;
  /** Monotonic clock: from then on the status may be another one. */
  readonly holdsUntilMs: number;
}

/**
 * Traces that came one after the other, each at the place that its sequence gives it, with what is known of them side by
 * side in arrays: a question that looks at ten thousand traces reads a few hundred kilobytes in order, and none of the
 * traces themselves.
 */
export class TraceBlock implements TracePlace {
  /** What a block takes, by estimate. */
  static readonly BYTES = TRACES * (FLOAT_FIELDS * 8 + 4 + 2 * 2 + 2 * 8) + 600;

  readonly firstSequence: number;
  readonly #traces = new Array<TraceRecord | undefined>(TRACES).fill(undefined);
  /** Undefined where the facts are not known. */
  readonly #values = new Array<TraceValues | undefined>(TRACES).fill(undefined);
  readonly #floats = new Float64Array(TRACES * FLOAT_FIELDS);
  readonly #startNanos = new Int32Array(TRACES);
  /** Of the texts searched for last, one bit each: whether it was looked for, and was found; `SearchedTexts`. */
  readonly #searchedTexts = new Uint16Array(TRACES);
  readonly #foundTexts = new Uint16Array(TRACES);
  /** Read from the text of the roots when somebody asks. */
  #rootNames: (string | undefined)[] | undefined;
  #count = 0;
  #knownCount = 0;

  /** @param sequence - of the first trace that is to be in it. */
  constructor(sequence: number) {
    this.firstSequence = sequence - (sequence % TRACES);
  }

  /** Traces in it. */
  get count(): number {
    return this.#count;
  }

  /** Traces of which the facts are not known. */
  get unknownCount(): number {
    return this.#count - this.#knownCount;
  }

  /** True where a trace of that sequence has its place here. */
  takes(sequence: number): boolean {
    return sequence < this.firstSequence + TRACES;
  }

  /** The slots below are those of traces that came before the one of that sequence. */
  slotsBefore(sequence: number): number {
    return Math.min(sequence - this.firstSequence, TRACES);
  }

  slotOf(trace: TraceRecord): number {
    return trace.sequence - this.firstSequence;
  }

  add(trace: TraceRecord): void {
    this.#traces[this.slotOf(trace)] = trace;
    this.#count++;
  }

  remove(trace: TraceRecord): void {
    const slot = this.slotOf(trace);
    this.forget(slot);
    this.#traces[slot] = undefined;
    this.#count--;
  }

  clear(): void {
    this.#traces.fill(undefined);
    this.#count = 0;
    this.#knownCount = 0;
  }

  /** The trace at a slot, where there is one still. */
  trace(slot: number): TraceRecord | undefined {
    return this.#traces[slot];
  }

  /** True where the facts of a trace are known and hold. */
  isKnown(slot: number, nowMs: number): boolean {
    return this.#values[slot] !== undefined && nowMs < this.#float(slot, FLOAT.holdsUntilMs);
  }

  know(slot: number, { values, start, durationMs, costUsd, holdsUntilMs }: TraceFacts): void {
    if (this.#values[slot] === undefined) this.#knownCount++;
    this.#values[slot] = values;
    const at = slot * FLOAT_FIELDS;
    this.#floats[at + FLOAT.startEpochMs] = start.epochMs;
    this.#floats[at + FLOAT.durationMs] = durationMs;
    this.#floats[at + FLOAT.costUsd] = costUsd;
    this.#floats[at + FLOAT.holdsUntilMs] = holdsUntilMs;
    this.#startNanos[slot] = start.nanos;
  }

  /** Forgets all that is known of a trace. */
  forget(slot: number): void {
    if (this.#values[slot] !== undefined) this.#knownCount--;
    this.#values[slot] = undefined;
    this.#searchedTexts[slot] = 0;
    this.#foundTexts[slot] = 0;
    if (this.#rootNames !== undefined) this.#rootNames[slot] = undefined;
  }

  // --- What is known of the trace at a slot, where it is.

  values(slot: number): TraceValues {
    const values = this.#values[slot];
    if (values === undefined) throw new Error("The facts of the trace are not known.");
    return values;
  }

  startEpochMs(slot: number): number {
    return this.#float(slot, FLOAT.startEpochMs);
  }

  durationMs(slot: number): number {
    return this.#float(slot, FLOAT.durationMs);
  }

  costUsd(slot: number): number {
    return this.#float(slot, FLOAT.costUsd);
  }

  startsBefore(slot: number, { epochMs, nanos }: Instant): boolean {
    const startEpochMs = this.#float(slot, FLOAT.startEpochMs);
    return startEpochMs < epochMs || (startEpochMs === epochMs && (this.#startNanos[slot] as number) < nanos);
  }

  #float(slot: number, field: (typeof FLOAT)[keyof typeof FLOAT]): number {
    return this.#floats[slot * FLOAT_FIELDS + field] as number;
  }

  /** The name of its root, read once. */
  rootName(slot: number, read: () => string): string {
    this.#rootNames ??= new Array<string | undefined>(TRACES).fill(undefined);
    return (this.#rootNames[slot] ??= read());
  }

  // --- Texts that were searched for, one bit each.

  /** Whether a trace has the text; undefined where it was not looked through since it changed. */
  hasText(slot: number, bit: number): boolean | undefined {
    if (((this.#searchedTexts[slot] as number) & bit) === 0) return undefined;
    return ((this.#foundTexts[slot] as number) & bit) !== 0;
  }

  rememberText(slot: number, bit: number, isFound: boolean): void {
    (this.#searchedTexts[slot] as number) |= bit;
    if (isFound) (this.#foundTexts[slot] as number) |= bit;
  }

  forgetText(bit: number): void {
    for (let slot = 0; slot < TRACES; slot++) {
      (this.#searchedTexts[slot] as number) &= ~bit;
      (this.#foundTexts[slot] as number) &= ~bit;
    }
  }
}
