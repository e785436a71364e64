import type { ClosedStep } from "../../../interfaces.js";
import type { StorageCommands } from "../thread/storage-engine.js";
import type { CurrentStore } from "./current-store.js";
import { readEvaluations } from "./evaluation-rows.js";
import type { FailureRecovery } from "./failure-recovery.js";
import { readStatsSteps, type OnDamagedStep } from "./stats-steps.js";
import type { StoreTasks } from "./store-tasks.js";
import type { TraceRemoval } from "./trace-removal.js";
import { readViews } from "./view-rows.js";

/** Options of {@link createEngineCommands}. */
export interface EngineCommandsOptions {
  readonly current: CurrentStore;
  readonly recovery: FailureRecovery;
  readonly tasks: StoreTasks;
  readonly removal: TraceRemoval;
  readonly commit: () => void;
  /** Called for an evaluation that cannot be read. */
  readonly onDamagedEvaluation: (sequence: number) => void;
  /** Called for a step of the statistics that cannot be read. */
  readonly onDamagedStep: OnDamagedStep;
  /**
   * Releases the space that is held for work on a full disk.
   *
   * @param error - that the work met.
   * @returns false if the disk is not full, or none is held.
   */
  readonly releaseReserve: (error?: unknown) => boolean;
  /** Removes all traces. @returns their number. */
  readonly clear: () => number;
}

/** The questions to the engine, each answered by the part of the store that it concerns. */
export function createEngineCommands(options: EngineCommandsOptions): StorageCommands {
  const { current, recovery, tasks, removal, commit, clear, releaseReserve } = options;
  const read: FailureRecovery["read"] = (question) => recovery.read(question);
  /** Runs work that makes room, on a full disk in the space of the reserve, then tries to store spans again. */
  const makingRoom = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    releaseReserve();
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      // The work may have found out that the disk is full.
      if (!releaseReserve(error)) throw error;
      result = await work();
    }
    recovery.retry();
    return result;
  };
  return {
    flush: async () => {
      if (recovery.degraded !== undefined) return;
      recovery.guard(() => {
        current.store.refresh();
        commit();
      });
    },
    summaries: (keys) => read(() => keys.map((key) => current.store.summaryOf(key))),
    openTrace: (key) => read(() => current.store.readings.open(key)),
    readPage: (reading, order, from, signal) =>
      read(() => current.store.readings.page(reading, order, from, signal)),
    closeTrace: async (reading) => current.store.readings.close(reading),
    getSpan: (key, spanId) => read(() => current.store.readings.span(key, spanId)),
    labelsOf: (references, signal) => read(() => current.store.evaluated.labelsOf(references, signal)),
    outputPreviews: (references, signal) =>
      read(() => current.store.evaluated.outputPreviews(references, signal)),
    tenantsOf: (traceId) => read(() => current.store.tenantsOf(traceId)),
    list: (query, signal) => read(() => current.store.queries.list(query, signal)),
    facets: (query, signal) => read(() => current.store.queries.facets(query, signal)),
    histogram: (query, signal) => read(() => current.store.queries.histogram(query, signal)),
    sessions: (query, signal) => read(() => current.store.sessions.list(query, signal)),
    session: (key, query, signal) => read(() => current.store.sessions.session(key, query, signal)),
    tenantsOfSession: (sessionId) => read(() => current.store.sessions.tenantsOf(sessionId)),
    groups: (query, signal) => read(() => current.store.queries.groups(query, signal)),
    openSelect: async (filter, signal) =>
      current.selections.add(current.store.queries.select(filter, signal)),
    selectPage: (id) => current.selections.next(id),
    closeSelect: (id) => current.selections.close(id),
    remove: (key) => makingRoom(() => removal.remove(key)),
    clear: () => read(clear),
    evaluations: (after, limit) =>
      read(() => {
        current.store.flush();
        return readEvaluations(current.file.db, { after, limit }, options.onDamagedEvaluation);
      }),
    putStatsSteps: async (steps) => putStatsSteps(options, steps),
    statsSteps: (resolutionSeconds, beforeSeconds) =>
      read(() =>
        readStatsSteps(current.file.db, { resolutionSeconds, beforeSeconds }, options.onDamagedStep),
      ),
    info: (signal) => tasks.info(signal),
    compact: (signal) => makingRoom(() => tasks.compact(signal)),
    verify: (signal) => tasks.verify(signal),
    prune: (olderThanSeconds, signal) => makingRoom(() => tasks.prune(olderThanSeconds, signal)),
    openBackup: (views) => tasks.openBackup(views),
    views: () => read(() => readViews(current.file.db)),
    readBackup: (backup) => tasks.readBackup(backup),
    closeBackup: (backup) => tasks.closeBackup(backup),
  };
}

/** Saves steps of the statistics. @returns false if they cannot be saved now. */
export function putStatsSteps(
  { current, recovery, commit }: Pick<EngineCommandsOptions, "current" | "recovery" | "commit">,
  steps: readonly ClosedStep[],
): boolean {
  if (recovery.degraded !== undefined) return false;
  return recovery.guard(() => {
    current.store.putStatsSteps(steps);
    commit();
  });
}
