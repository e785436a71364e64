import type { TraceKey } from "../interfaces.js";
import { traceKeyText } from "../span/trace-key-text.js";
import { ChangedTraces, type Step } from "./changed-traces.js";

/** Traces that changed since the last update of a reader; `reset` if the reader must fetch all data again. */
export type Changes =
  | { readonly type: "traces"; readonly keys: readonly TraceKey[] }
  | { readonly type: "reset"; readonly reason: "gap" | "burst" | "cleared" };

/** Limits of {@link LiveChanges}. */
export interface LiveChangesOptions {
  /** Traces per step that a reader gets one by one; with more the step is a `burst`. */
  readonly maxTracesPerStep: number;
  /** Steps that a reader may lag behind; a longer lag is a `gap`. */
  readonly maxSteps: number;
}

/** All steps merged, as a reader sees them. The traces that changed after a step form a suffix of `keys`. */
interface Merged {
  /** Each trace once, in order of its last change; at most `maxTracesPerStep`. */
  readonly keys: readonly TraceKey[];
  /** The step of the last change of each key. */
  readonly steps: readonly number[];
  /** Readers before this step missed more than `maxTracesPerStep` traces. */
  readonly burstUpTo: number;
  /** The last step that resets every reader. */
  readonly reset: { readonly step: number; readonly reason: "burst" | "cleared" } | undefined;
}

/**
 * Records which traces changed in which step. It holds keys rather than events, so its options bound it however slow a
 * reader is: missed steps are merged at the next update. Each tenant has its own limits, so that a burst of one tenant does
 * not reset the readers of another. All tenants together hold at most as many keys as one tenant may.
 */
export class LiveChanges {
  /** The last `maxSteps` steps, oldest first. */
  #steps: Step[] = [];
  #lastStep = 0;
  /** Keys and tenants in all steps. */
  #size = 0;
  /** Number of the newest evaluation at the end of the last evicted step. */
  #evaluationBefore = 0;
  #changed: ChangedTraces;
  #cleared = false;
  /** By tenant. Computed for the first reader after a step; the other readers get a suffix of it. */
  readonly #merged = new Map<string | undefined, Merged>();
  readonly #maxSize: number;
  readonly #options: LiveChangesOptions;

  constructor(options: LiveChangesOptions) {
    this.#options = options;
    // A step of one tenant without a burst has at most this many keys, plus the tenant.
    this.#maxSize = (options.maxTracesPerStep + 1) * options.maxSteps;
    this.#changed = new ChangedTraces(options.maxTracesPerStep, this.#maxSize);
  }

  /** Adds a changed trace to the current step. */
  add(key: TraceKey): void {
    this.#changed.add(key);
  }

  /** Marks the current step as one that deleted traces which readers may show. */
  clear(): void {
    this.#cleared = true;
  }

  /**
   * Ends the current step. Returns false, without a new step, if nothing changed and no evaluation ended.
   *
   * @param evaluation - number of the newest evaluation.
   */
  endStep(evaluation = 0): boolean {
    if (this.#changed.isEmpty && !this.#cleared && evaluation <= this.lastEvaluation) return false;
    const step = this.#changed.step(evaluation, this.#cleared);
    this.#steps.push(step);
    this.#size += step.size;
    while (
      this.#steps.length > this.#options.maxSteps ||
      (this.#size > this.#maxSize && this.#steps.length > 1)
    ) {
      const oldest = this.#steps.shift();
      this.#evaluationBefore = oldest?.evaluation ?? 0;
      this.#size -= oldest?.size ?? 0;
    }
    this.#lastStep++;
    this.#merged.clear();
    this.#changed = new ChangedTraces(this.#options.maxTracesPerStep, this.#maxSize);
    this.#cleared = false;
    return true;
  }

  /** Number of the newest step; 0 before the first. */
  get lastStep(): number {
    return this.#lastStep;
  }

  /** Number of the newest evaluation at the end of the newest step. */
  get lastEvaluation(): number {
    return this.#steps.at(-1)?.evaluation ?? this.#evaluationBefore;
  }

  /** Number of the newest evaluation at the end of a step; undefined for an evicted or unknown step. */
  evaluationAt(step: number): number | undefined {
    const missed = this.#lastStep - step;
    if (missed < 0 || missed > this.#steps.length) return undefined;
    return missed === this.#steps.length ? this.#evaluationBefore : this.#steps.at(-missed - 1)?.evaluation;
  }

  /**
   * Returns the changes after a step, each trace once. The result for a later step is a suffix of that for an earlier one.
   *
   * @param tenant - undefined selects every tenant.
   */
  since(step: number, tenant?: string): Changes {
    const missed = this.#lastStep - step;
    if (missed < 0 || missed > this.#steps.length) return { type: "reset", reason: "gap" };
    let merged = this.#merged.get(tenant);
    if (merged === undefined) this.#merged.set(tenant, (merged = this.#merge(tenant)));
    const { keys, steps, burstUpTo, reset } = merged;
    if (reset !== undefined && step < reset.step) return { type: "reset", reason: reset.reason };
    if (step < burstUpTo) return { type: "reset", reason: "burst" };
    const first = steps.findLastIndex((changedIn) => changedIn <= step) + 1;
    return { type: "traces", keys: keys.slice(first) };
  }

  #merge(tenant: string | undefined): Merged {
    const { maxTracesPerStep } = this.#options;
    const seen = new Set<string>();
    /** Latest change first. */
    const found: { readonly key: TraceKey; readonly step: number }[] = [];
    let burstUpTo = 0;
    let reset: Merged["reset"];
    let step = this.#lastStep;
    for (const each of this.#steps.toReversed()) {
      const changed = keysFor(tenant, each);
      if (each.reset !== undefined || changed === undefined) {
        reset = { step, reason: each.reset ?? "burst" };
        break;
      }
      const keys = changed.filter((key) => !seen.has(traceKeyText(key)));
      if (found.length + keys.length > maxTracesPerStep) burstUpTo = Math.max(burstUpTo, step);
      // In older steps only a reset matters.
      if (burstUpTo === 0) for (const key of keys.toReversed()) found.push({ key, step });
      for (const key of keys) seen.add(traceKeyText(key));
      step--;
    }
    found.reverse();
    return { keys: found.map(({ key }) => key), steps: found.map((each) => each.step), burstUpTo, reset };
  }
}

/** The traces of a step that a reader of a tenant gets; undefined for a burst. */
function keysFor(tenant: string | undefined, { keys, keysOf }: Step): readonly TraceKey[] | undefined {
  if (tenant === undefined) return keys;
  return keysOf.has(tenant) ? keysOf.get(tenant) : [];
}
