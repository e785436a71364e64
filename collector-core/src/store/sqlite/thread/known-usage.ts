import type { EvictionReason, UnsavedReason } from "../../../interfaces.js";
import type { EngineUsage } from "./storage-engine.js";

type Counts<Reason extends string> = Readonly<Record<Reason, number>>;

const NOTHING_EVICTED: Counts<EvictionReason> = {
  max_traces: 0,
  max_bytes: 0,
  disk_max_bytes: 0,
  ttl: 0,
  pruned: 0,
  span_cap: 0,
  cleared: 0,
};
const NOTHING_UNSAVED: Counts<UnsavedReason> = {
  disk_full: 0,
  io_error: 0,
  thread_died: 0,
  corrupt_chunk: 0,
  file_gone: 0,
};

const NO_ENGINE: EngineUsage = {
  traces: 0,
  spans: 0,
  memoryBytes: 0,
  diskBytes: 0,
  pendingBytes: 0,
  pendingSpans: 0,
  lateEvaluations: 0,
  evicted: NOTHING_EVICTED,
  unsaved: NOTHING_UNSAVED,
  state: "ok",
  reason: null,
  oldestAtMs: null,
  rebuildProgress: null,
};

/** Counts of threads that have ended, and of spans that were lost on the way to one. */
interface EarlierCounts {
  readonly lateEvaluations: number;
  readonly evicted: Counts<EvictionReason>;
  readonly unsaved: Counts<UnsavedReason>;
}

/** What the main thread knows of the usage: the counts of all threads since the start, and the rest of the last one. */
export class KnownUsage {
  readonly #engine: EngineUsage;
  readonly #earlier: EarlierCounts;
  /** Read several times a second, also where nothing changes. */
  #total: EngineUsage | undefined;

  constructor(engine: EngineUsage, earlier: EarlierCounts) {
    this.#engine = engine;
    this.#earlier = earlier;
  }

  /** Usage of the last thread, with the counts of all. */
  get total(): EngineUsage {
    return (this.#total ??= { ...this.#engine, ...this.#counts() });
  }

  withEngine(engine: EngineUsage): KnownUsage {
    return new KnownUsage(engine, this.#earlier);
  }

  withUnsaved(reason: UnsavedReason, spans: number): KnownUsage {
    const unsaved = { ...this.#earlier.unsaved, [reason]: this.#earlier.unsaved[reason] + spans };
    return new KnownUsage(this.#engine, { ...this.#earlier, unsaved });
  }

  /** The next thread counts from 0. */
  afterDeath(): KnownUsage {
    const counts = this.#counts();
    const { lateEvaluations, evicted, unsaved } = NO_ENGINE;
    const engine = { ...this.#engine, lateEvaluations, evicted, unsaved, pendingBytes: 0, pendingSpans: 0 };
    return new KnownUsage(engine, counts);
  }

  #counts(): EarlierCounts {
    const { lateEvaluations, evicted, unsaved } = this.#engine;
    return {
      lateEvaluations: this.#earlier.lateEvaluations + lateEvaluations,
      evicted: sum(this.#earlier.evicted, evicted),
      unsaved: sum(this.#earlier.unsaved, unsaved),
    };
  }
}

/** Before the first thread has opened the file. */
export const NO_USAGE = new KnownUsage(NO_ENGINE, NO_ENGINE);

function sum<Reason extends string>(a: Counts<Reason>, b: Counts<Reason>): Counts<Reason> {
  const reasons = Object.keys(a) as Reason[];
  return Object.fromEntries(reasons.map((reason) => [reason, a[reason] + b[reason]])) as Counts<Reason>;
}
