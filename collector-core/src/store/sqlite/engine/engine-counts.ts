import type { EvictionReason, UnsavedReason } from "../../../interfaces.js";
import type { EngineUsage } from "../thread/storage-engine.js";

/** What the engine has counted since its start. A rollback takes back what was evicted since the last commit. */
export class EngineCounts {
  readonly #evicted: Record<EvictionReason, number> = {
    max_traces: 0,
    max_bytes: 0,
    disk_max_bytes: 0,
    ttl: 0,
    pruned: 0,
    span_cap: 0,
    cleared: 0,
  };
  readonly #unsaved: Record<UnsavedReason, number> = {
    disk_full: 0,
    io_error: 0,
    thread_died: 0,
    corrupt_chunk: 0,
    file_gone: 0,
  };
  /** Late evaluations of the stores before the current one. */
  #lateEvaluations = 0;
  /** The counts of the last commit. */
  #committed = { evicted: { ...this.#evicted }, lateEvaluations: 0 };

  evicted(reason: EvictionReason, count: number): void {
    this.#evicted[reason] += count;
  }

  unsaved(reason: UnsavedReason, spans: number): void {
    this.#unsaved[reason] += spans;
  }

  /** @param late - late evaluations of the current store. */
  usage(late: number): Pick<EngineUsage, "evicted" | "unsaved" | "lateEvaluations"> {
    return {
      evicted: { ...this.#evicted },
      unsaved: { ...this.#unsaved },
      lateEvaluations: this.#lateEvaluations + late,
    };
  }

  /** Everything is committed. @param late - late evaluations of the current store. */
  commit(late: number): void {
    this.#committed = { evicted: { ...this.#evicted }, lateEvaluations: this.#lateEvaluations + late };
  }

  /** The current store is rolled back to the last commit. */
  rollBack(): void {
    Object.assign(this.#evicted, this.#committed.evicted);
    this.#lateEvaluations = this.#committed.lateEvaluations;
  }

  /** The current store is damaged and will be replaced. */
  setAside(): void {
    this.#lateEvaluations = this.#committed.lateEvaluations;
  }

  /** The current store is closed, and another one follows. @param late - its late evaluations. */
  endStore(late: number): void {
    this.#lateEvaluations += late;
  }
}
