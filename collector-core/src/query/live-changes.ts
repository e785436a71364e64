import type { TraceKey } from "../interfaces.js";
import { ChangedTraces, keyText, type Step } from "./changed-traces.js";

/** Traces that changed since a reader last looked; `reset` where the reader must fetch anew. */
export type Changes =
  | { readonly type: "traces"; readonly keys: readonly TraceKey[] }
  | { readonly type: "reset"; readonly reason: "gap" | "burst" | "cleared" };

/** What bounds {@link LiveChanges}. */
export interface LiveChangesOptions {
  /** Traces of one step that are worth sending one by one to a reader; with more the step is a `burst` to it. */
  readonly maxTracesPerStep: number;
  /** Steps that a reader may be behind; further back is a `gap`. */
  readonly maxSteps: number;
}

/** All steps put together, as a reader sees them. What changed after a step are the last of the traces. */
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
 * reader is: what a reader missed is merged when it looks again. Each tenant has bounds of its own, so that a burst of one
 * resets no reader of another; together they hold no more keys than one tenant may.
 */
export class LiveChanges {
  /** The last `maxSteps` steps, oldest first. */
  #steps: Step[] = [];
  #lastStep = 0;
  /** Keys and tenants that all steps hold. */
  #size = 0;
  /** Number of the newest evaluation when the step before those kept ended. */
  #evaluationBefore = 0;
  #changed: ChangedTraces;
  #cleared = false;
  /** Made when the first reader of a tenant asks after a step; all others are given parts of it. */
  readonly #merged = new Map<string | undefined, Merged>();
  readonly #maxSize: number;

  constructor(private readonly options: LiveChangesOptions) {
    // A step of one tenant that is no burst has so many keys, and the tenant.
    this.#maxSize = (options.maxTracesPerStep + 1) * options.maxSteps;
    this.#changed = new ChangedTraces(options.maxTracesPerStep, this.#maxSize);
  }

  /** Notes that a trace changed, in the step under way. */
  add(key: TraceKey): void {
    this.#changed.add(key);
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
    if (this.#changed.isEmpty && !this.#cleared && evaluation <= this.lastEvaluation) return false;
    const step = this.#changed.step(evaluation, this.#cleared);
    this.#steps.push(step);
    this.#size += step.size;
    while (
      this.#steps.length > this.options.maxSteps ||
      (this.#size > this.#maxSize && this.#steps.length > 1)
    ) {
      const oldest = this.#steps.shift();
      this.#evaluationBefore = oldest?.evaluation ?? 0;
      this.#size -= oldest?.size ?? 0;
    }
    this.#lastStep++;
    this.#merged.clear();
    this.#changed = new ChangedTraces(this.options.maxTracesPerStep, this.#maxSize);
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

  /**
   * What changed after a step, each trace once. Of two readers, one is given the last of what the other is given.
   *
   * @param tenant - whose traces; undefined: every tenant's.
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
    const { maxTracesPerStep } = this.options;
    const seen = new Set<string>();
    /** The latest change first. */
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
      const keys = changed.filter((key) => !seen.has(keyText(key)));
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

/** The traces of a step that a reader is told of; undefined where they are a burst to it. */
function keysFor(tenant: string | undefined, { keys, keysOf }: Step): readonly TraceKey[] | undefined {
  if (tenant === undefined) return keys;
  return keysOf.has(tenant) ? keysOf.get(tenant) : [];
}
