import type { Instant } from "../../../span/timestamp.js";
import type { TraceFacts } from "../../traces/trace-facts.js";
import type { TracePlace, TraceRecord } from "../../traces/trace-record.js";
import type { TraceValues } from "../../traces/trace-values.js";

/** Traces per block. A block is freed with its last trace, so that one long-lived trace holds a small block. */
const TRACES = 256;

const FLOAT = {
  startEpochMs: 0,
  durationMs: 1,
  costUsd: 2,
  holdsUntilMs: 3,
  tokensInput: 4,
  tokensOutput: 5,
  ttftMs: 6,
} as const;
const FLOAT_FIELDS = 7;

/**
 * Consecutive traces, each in the slot of its sequence, with their cached facts in parallel arrays: a query over ten thousand
 * traces reads a few hundred kilobytes in order, and none of the trace objects.
 */
export class TraceBlock implements TracePlace {
  /** Estimated size of a block. */
  static readonly BYTES = TRACES * (FLOAT_FIELDS * 8 + 4 + 2 * 2 + 2 * 8) + 600;

  readonly firstSequence: number;
  readonly #traces = new Array<TraceRecord | undefined>(TRACES).fill(undefined);
  /** Undefined if the facts are not cached. */
  readonly #values = new Array<TraceValues | undefined>(TRACES).fill(undefined);
  readonly #floats = new Float64Array(TRACES * FLOAT_FIELDS);
  readonly #startNanos = new Int32Array(TRACES);
  /** One bit for each recently searched text, assigned by `SearchedTexts`: set if the trace was searched, and if it matched. */
  readonly #searchedTexts = new Uint16Array(TRACES);
  readonly #foundTexts = new Uint16Array(TRACES);
  /** Read from the text of the roots on demand. */
  #rootNames: (string | undefined)[] | undefined;
  #count = 0;
  #cachedCount = 0;

  /** @param sequence - of its first trace. */
  constructor(sequence: number) {
    this.firstSequence = sequence - (sequence % TRACES);
  }

  /** Number of traces. */
  get count(): number {
    return this.#count;
  }

  /** Number of traces without cached facts. */
  get uncachedCount(): number {
    return this.#count - this.#cachedCount;
  }

  /** True if a trace of that sequence belongs to this block. */
  takes(sequence: number): boolean {
    return sequence < this.firstSequence + TRACES;
  }

  /** Sequence of its last slot. */
  get lastSequence(): number {
    return this.firstSequence + TRACES - 1;
  }

  /** Number of slots of traces older than that sequence. */
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
    this.invalidate(slot);
    this.#traces[slot] = undefined;
    this.#count--;
  }

  clear(): void {
    this.#traces.fill(undefined);
    this.#count = 0;
    this.#cachedCount = 0;
  }

  /** The trace at a slot; undefined if it was removed. */
  trace(slot: number): TraceRecord | undefined {
    return this.#traces[slot];
  }

  /** True if the facts of a trace are cached and still hold. */
  isCached(slot: number, nowMs: number): boolean {
    return this.#values[slot] !== undefined && nowMs < this.#float(slot, FLOAT.holdsUntilMs);
  }

  set(slot: number, facts: TraceFacts): void {
    const { values, start, durationMs, costUsd, tokensInput, tokensOutput, ttftMs, holdsUntilMs } = facts;
    if (this.#values[slot] === undefined) this.#cachedCount++;
    this.#values[slot] = values;
    const at = slot * FLOAT_FIELDS;
    this.#floats[at + FLOAT.startEpochMs] = start.epochMs;
    this.#floats[at + FLOAT.durationMs] = durationMs;
    this.#floats[at + FLOAT.costUsd] = costUsd;
    this.#floats[at + FLOAT.holdsUntilMs] = holdsUntilMs;
    this.#floats[at + FLOAT.tokensInput] = tokensInput;
    this.#floats[at + FLOAT.tokensOutput] = tokensOutput;
    this.#floats[at + FLOAT.ttftMs] = ttftMs;
    this.#startNanos[slot] = start.nanos;
  }

  /** Drops everything cached for a trace. */
  invalidate(slot: number): void {
    if (this.#values[slot] !== undefined) this.#cachedCount--;
    this.#values[slot] = undefined;
    this.#searchedTexts[slot] = 0;
    this.#foundTexts[slot] = 0;
    if (this.#rootNames !== undefined) this.#rootNames[slot] = undefined;
  }

  // --- Cached facts. The trace at the slot must have them.

  values(slot: number): TraceValues {
    const values = this.#values[slot];
    if (values === undefined) throw new Error("The facts of the trace are not cached.");
    return values;
  }

  startEpochMs(slot: number): number {
    return this.#float(slot, FLOAT.startEpochMs);
  }

  startNanos(slot: number): number {
    return this.#startNanos[slot] as number;
  }

  durationMs(slot: number): number {
    return this.#float(slot, FLOAT.durationMs);
  }

  costUsd(slot: number): number {
    return this.#float(slot, FLOAT.costUsd);
  }

  tokensInput(slot: number): number {
    return this.#float(slot, FLOAT.tokensInput);
  }

  tokensOutput(slot: number): number {
    return this.#float(slot, FLOAT.tokensOutput);
  }

  /** NaN if there is none. */
  ttftMs(slot: number): number {
    return this.#float(slot, FLOAT.ttftMs);
  }

  /** Negative if the trace started before that time, positive if after. */
  compareStart(slot: number, { epochMs, nanos }: Instant): number {
    return this.#float(slot, FLOAT.startEpochMs) - epochMs || (this.#startNanos[slot] as number) - nanos;
  }

  startsBefore(slot: number, { epochMs, nanos }: Instant): boolean {
    const startEpochMs = this.#float(slot, FLOAT.startEpochMs);
    return startEpochMs < epochMs || (startEpochMs === epochMs && (this.#startNanos[slot] as number) < nanos);
  }

  #float(slot: number, field: (typeof FLOAT)[keyof typeof FLOAT]): number {
    return this.#floats[slot * FLOAT_FIELDS + field] as number;
  }

  /** The name of the root; cached. */
  rootName(slot: number, read: () => string): string {
    this.#rootNames ??= new Array<string | undefined>(TRACES).fill(undefined);
    return (this.#rootNames[slot] ??= read());
  }

  // --- Searched texts, one bit each.

  /** Whether a trace has the text; undefined if it was not searched since it last changed. */
  hasText(slot: number, bit: number): boolean | undefined {
    if (((this.#searchedTexts[slot] as number) & bit) === 0) return undefined;
    return ((this.#foundTexts[slot] as number) & bit) !== 0;
  }

  setText(slot: number, bit: number, isFound: boolean): void {
    (this.#searchedTexts[slot] as number) |= bit;
    if (isFound) (this.#foundTexts[slot] as number) |= bit;
  }

  clearText(bit: number): void {
    for (let slot = 0; slot < TRACES; slot++) {
      (this.#searchedTexts[slot] as number) &= ~bit;
      (this.#foundTexts[slot] as number) &= ~bit;
    }
  }
}
