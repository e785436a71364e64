import type { TraceKey } from "../interfaces.js";

/** Traces that changed since a reader last looked; `reset` where the reader must fetch anew. */
export type Changes =
  | { readonly type: "traces"; readonly keys: readonly TraceKey[] }
  | { readonly type: "reset"; readonly reason: "gap" | "burst" | "cleared" };

/** What bounds {@link LiveChanges}. */
export interface LiveChangesOptions {
  /** Traces of one step that are worth sending one by one; with more the step is a `burst`. */
  readonly maxTracesPerStep: number;
  /** Steps that a reader may be behind; further back is a `gap`. */
  readonly maxSteps: number;
}

interface Step {
  readonly keys: readonly TraceKey[];
  /** Number of the newest evaluation when the step ended. */
  readonly evaluation: number;
  readonly reset: "burst" | "cleared" | undefined;
}

/** All steps put together. What changed after a step are the last of the traces. */
interface Merged {
  /** Each trace once, in the order of their last changes; no more than may be sent. */
  readonly keys: readonly TraceKey[];
  /** The step in which each of them changed last. */
  readonly steps: readonly number[];
  /** Readers that are further back than this have missed more traces than may be sent. */
  readonly burstUpTo: number;
  /** The last step that is a reset, and why. */
  readonly reset: { readonly step: number; readonly reason: "burst" | "cleared" } | undefined;
}

/**
 * Which traces changed in which step. It holds keys and never events, and so is bounded by its options however slow a
 * reader is: what a reader missed is merged when it looks again.
 */
export class LiveChanges {
  /** The last `maxSteps` steps, oldest first. */
  #steps: Step[] = [];
  #lastStep = 0;
  /** Number of the newest evaluation when the step before those kept ended. */
  #evaluationBefore = 0;
  #changed = new Map<string, TraceKey>();
  #cleared = false;
  /** Made when the first reader asks after a step; all others are given parts of it. */
  #merged: Merged | undefined;

  constructor(private readonly options: LiveChangesOptions) {}

  /** Notes that a trace changed, in the step under way. */
  add(key: TraceKey): void {
    // One more than is sent tells a burst; more than that need not be held.
    if (this.#changed.size > this.options.maxTracesPerStep) return;
    this.#changed.set(keyText(key), key);
  }

  /** Notes that traces are gone which readers may show. */
  clear(): void {
    this.#cleared = true;
  }

  /**
   * Ends the step under way; false where nothing had changed and no evaluation had ended, and then there is none.
   *
   * @param evaluation - the number of the newest evaluation.
   */
  endStep(evaluation = 0): boolean {
    if (this.#changed.size === 0 && !this.#cleared && evaluation <= this.lastEvaluation) return false;
    const isBurst = this.#changed.size > this.options.maxTracesPerStep;
    const reset = this.#cleared ? "cleared" : isBurst ? "burst" : undefined;
    this.#steps.push({ keys: reset === undefined ? [...this.#changed.values()] : [], evaluation, reset });
    if (this.#steps.length > this.options.maxSteps)
      this.#evaluationBefore = this.#steps.shift()?.evaluation ?? 0;
    this.#lastStep++;
    this.#merged = undefined;
    this.#changed = new Map();
    this.#cleared = false;
    return true;
  }

  /** The number of the newest step; 0 before the first. */
  get lastStep(): number {
    return this.#lastStep;
  }

  /** The number of the newest evaluation when the newest step ended. */
  get lastEvaluation(): number {
    return this.#steps.at(-1)?.evaluation ?? this.#evaluationBefore;
  }

  /** The number of the newest evaluation when a step ended; undefined for a step that is not known any more. */
  evaluationAt(step: number): number | undefined {
    const missed = this.#lastStep - step;
    if (missed < 0 || missed > this.#steps.length) return undefined;
    return missed === this.#steps.length ? this.#evaluationBefore : this.#steps.at(-missed - 1)?.evaluation;
  }

  /** What changed after a step, each trace once. Of two readers, one is given the last of what the other is given. */
  since(step: number): Changes {
    const missed = this.#lastStep - step;
    if (missed < 0 || missed > this.#steps.length) return { type: "reset", reason: "gap" };
    const { keys, steps, burstUpTo, reset } = (this.#merged ??= this.#merge());
    if (reset !== undefined && step < reset.step) return { type: "reset", reason: reset.reason };
    if (step < burstUpTo) return { type: "reset", reason: "burst" };
    const first = steps.findLastIndex((changedIn) => changedIn <= step) + 1;
    return { type: "traces", keys: keys.slice(first) };
  }

  #merge(): Merged {
    const { maxTracesPerStep } = this.options;
    const seen = new Set<string>();
    /** The latest change first. */
    const found: { readonly key: TraceKey; readonly step: number }[] = [];
    let burstUpTo = 0;
    let reset: Merged["reset"];
    let step = this.#lastStep;
    for (const each of this.#steps.toReversed()) {
      if (each.reset !== undefined) {
        reset = { step, reason: each.reset };
        break;
      }
      const keys = each.keys.filter((key) => !seen.has(keyText(key)));
      if (found.length + keys.length > maxTracesPerStep) burstUpTo = Math.max(burstUpTo, step);
      // Further back only a reset is of interest.
      if (burstUpTo === 0) for (const key of keys.toReversed()) found.push({ key, step });
      for (const key of keys) seen.add(keyText(key));
      step--;
    }
    found.reverse();
    return { keys: found.map(({ key }) => key), steps: found.map((each) => each.step), burstUpTo, reset };
  }
}

/** A trace's key as one text. A tenant has no line break, so no two keys have the same. */
function keyText({ traceId, tenant }: TraceKey): string {
  return `${traceId}\n${tenant}`;
}
