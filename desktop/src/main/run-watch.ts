import type { Collector, LiveStatus, TraceSummary } from "@obspan/collector-core";

/** Options of {@link createRunWatch}. */
export interface RunWatchOptions {
  readonly collector: Pick<Collector, "status" | "listTraces" | "isPaused">;
  /** Null if no cost is reported. */
  readonly costLimitUsd: () => number | null;
  /** Wall clock, in epoch milliseconds. */
  readonly now: () => number;
  readonly onStatus: (snapshot: CollectorSnapshot) => void;
  /** Runs failed that ended after the watch began, the newest first. Each is told once. */
  readonly onFailed: (runs: readonly TraceSummary[]) => void;
  /** Runs cost more than the limit. Each is told once. */
  readonly onCostly: (runs: readonly TraceSummary[], limitUsd: number) => void;
  readonly onError: (error: unknown) => void;
}

/** What the tray shows. */
export interface CollectorSnapshot {
  readonly status: LiveStatus;
  readonly isPaused: boolean;
  /** The newest first. */
  readonly failedRuns: readonly TraceSummary[];
}

/** Watches the runs that arrive. */
export interface RunWatch {
  /** Reads the status, and the list of runs if some have arrived. Call it once a second. */
  tick(): Promise<void>;
}

/** Seconds between two questions to the trace store while spans arrive: an answer may take milliseconds of its thread. */
const TICKS_BETWEEN_QUESTIONS = 2;
/** More failures at a time are counted when the next question is asked; the tray shows the first few. */
const MAX_RUNS = 20;
/** Runs that were reported, so that none is reported twice. */
const MAX_KNOWN = 1000;

/**
 * Finds runs that failed or were costly. It asks the trace store, and only after spans have been processed: an idle
 * collector is asked nothing.
 */
export function createRunWatch(options: RunWatchOptions): RunWatch {
  const { collector } = options;
  const beganAtMs = options.now();
  const failed = new KnownRuns();
  const costly = new KnownRuns();
  let failedRuns: readonly TraceSummary[] = [];
  let asksIn = 0;
  let answeredFor = -1;
  let askedLimit: number | null = null;
  let isAsking = false;

  async function ask(processed: number): Promise<void> {
    const { listTraces } = collector;
    if (listTraces === undefined) return;
    const limit = options.costLimitUsd();
    ({ traces: failedRuns } = await listTraces({ status: "ERROR", limit: MAX_RUNS }));
    tell(failed.add(failedRuns), options.onFailed);
    if (limit !== null) {
      const { traces } = await listTraces({ query: `cost:>${limit}`, limit: MAX_RUNS });
      tell(costly.add(traces), (runs) => options.onCostly(runs, limit));
    }
    answeredFor = processed;
    askedLimit = limit;
  }

  /** Runs of an earlier time come from files and from before the start. */
  function tell(added: readonly TraceSummary[], listener: (runs: readonly TraceSummary[]) => void): void {
    const runs = added.filter((run) => Date.parse(run.start_time) + run.duration_ms >= beganAtMs);
    if (runs.length > 0) listener(runs);
  }

  return {
    async tick() {
      const status = collector.status();
      const { processed } = status.ledger;
      const isStopping = status.reasons.includes("shutting_down");
      const hasChanged = processed !== answeredFor || options.costLimitUsd() !== askedLimit;
      asksIn--;
      if (hasChanged && asksIn < 0 && !isAsking && !isStopping) {
        isAsking = true;
        asksIn = TICKS_BETWEEN_QUESTIONS - 1;
        try {
          await ask(processed);
        } catch (error) {
          options.onError(error);
        } finally {
          isAsking = false;
        }
      }
      options.onStatus({ status, isPaused: collector.isPaused, failedRuns });
    },
  };
}

/** The runs that were seen, up to {@link MAX_KNOWN}; the earliest is forgotten first. */
class KnownRuns {
  readonly #keys = new Set<string>();

  /** @returns those that were not seen before. */
  add(runs: readonly TraceSummary[]): TraceSummary[] {
    const added: TraceSummary[] = [];
    for (const run of runs.toReversed()) {
      const key = JSON.stringify([run.tenant, run.trace_id]);
      if (!this.#keys.has(key)) added.unshift(run);
      // A run that is still listed stays known.
      this.#keys.delete(key);
      this.#keys.add(key);
    }
    for (const key of this.#keys) {
      if (this.#keys.size <= MAX_KNOWN) break;
      this.#keys.delete(key);
    }
    return added;
  }
}
