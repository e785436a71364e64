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

  constructor(private readonly options: LiveChangesOptions) {}

  /** Notes that a trace changed, in the step under way. */
  add(key: TraceKey): void {
    // One more than is sent tells a burst; more than that need not be held.
    if (this.#changed.size > this.options.maxTracesPerStep) return;
    this.#changed.set(`${key.traceId}\n${key.tenant}`, key);
  }

  /** Notes that traces are gone which readers may show. */
  clear(): void {
    this.#cleared = true;
  }

  /**
   * Ends the step under way; false where nothing had changed, and then there is none.
   *
   * @param evaluation - the number of the newest evaluation.
   */
  endStep(evaluation = 0): boolean {
    if (this.#changed.size === 0 && !this.#cleared) return false;
    const isBurst = this.#changed.size > this.options.maxTracesPerStep;
    const reset = this.#cleared ? "cleared" : isBurst ? "burst" : undefined;
    this.#steps.push({ keys: reset === undefined ? [...this.#changed.values()] : [], evaluation, reset });
    if (this.#steps.length > this.options.maxSteps)
      this.#evaluationBefore = this.#steps.shift()?.evaluation ?? 0;
    this.#lastStep++;
    this.#changed = new Map();
    this.#cleared = false;
    return true;
  }

  /** The number of the newest step; 0 before the first. */
  get lastStep(): number {
    return this.#lastStep;
  }

  /** The number of the newest evaluation when a step ended; undefined for a step that is not known any more. */
  evaluationAt(step: number): number | undefined {
    const missed = this.#lastStep - step;
    if (missed < 0 || missed > this.#steps.length) return undefined;
    return missed === this.#steps.length ? this.#evaluationBefore : this.#steps.at(-missed - 1)?.evaluation;
  }

  /** What changed after a step, each trace once. */
  since(step: number): Changes {
    const missed = this.#lastStep - step;
    if (missed < 0 || missed > this.#steps.length) return { type: "reset", reason: "gap" };
    const steps = missed === 0 ? [] : this.#steps.slice(-missed);
    const reset = steps.findLast((each) => each.reset !== undefined)?.reset;
    if (reset !== undefined) return { type: "reset", reason: reset };
    const keys = new Map(
      steps.flatMap((each) => each.keys).map((key) => [`${key.traceId}\n${key.tenant}`, key]),
    );
    if (keys.size > this.options.maxTracesPerStep) return { type: "reset", reason: "burst" };
    return { type: "traces", keys: [...keys.values()] };
  }
}
