import type { ClosedStep, StatsArchive } from "../interfaces.js";
import type { Logger } from "../logging/logger.js";
import type { RestoredSteps } from "../pipeline/stats/restore-steps.js";
import type { SpanStats } from "../pipeline/stats/span-stats.js";
import { describeError, errorMessage } from "../runtime/describe-error.js";
import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";
import type { StartedPart } from "./lifecycle.js";

/** How often finished steps are looked for: with the length of a step, the statistics that a kill costs. */
const INTERVAL_MS = 1000;
/** Longest time that the stop waits for the archive. */
const STOP_TIMEOUT_MS = 3000;
/** Lengths of steps, the newest time first. */
const RESOLUTIONS_SECONDS = [10, 60] as const;
/** Steps that wait for an archive that fails; the oldest are given up. */
const MAX_WAITING_BYTES = 16 * 2 ** 20;

/** Collaborators of {@link createArchivedStats}. */
interface ArchivedStatsParts {
  readonly stats: Pick<SpanStats, "takeClosed" | "restore">;
  /** Undefined if nothing outlives the process. */
  readonly archive: () => StatsArchive | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
}

/** Restores the statistics of earlier runs beside the start, and saves each step when it is finished. */
export interface ArchivedStats extends StartedPart {
  /** Resolves when no restore is under way, whether or not it failed. */
  readonly restored: Promise<void>;
}

export function createArchivedStats({ stats, archive, clock, log }: ArchivedStatsParts): ArchivedStats {
  /** Steps that are not saved, by length and start. */
  const waiting = new Map<string, ClosedStep>();
  let restored: Promise<void> = Promise.resolve();
  let saving: Promise<void> | undefined;
  let hasFailed = false;
  let timer: NodeJS.Timeout | undefined;

  async function restore(from: StatsArchive): Promise<void> {
    const unreadable = { unknownFormat: 0, damaged: 0, problem: undefined as string | undefined };
    const timeSlice = new TimeSlice(clock);
    const add = (part: RestoredSteps): void => {
      unreadable.unknownFormat += part.unknownFormat;
      unreadable.damaged += part.damaged;
      unreadable.problem ??= part.problem;
    };
    try {
      // The newest first: their label sets have the first claim on the rows, and the current minute is complete at once.
      for (const resolution of RESOLUTIONS_SECONDS) {
        for (let before = Number.MAX_SAFE_INTEGER; ;) {
          const steps = await from.statsSteps(resolution, before);
          const oldest = steps.at(-1);
          if (oldest === undefined) break;
          for (const step of steps) {
            if (timeSlice.isOver()) await timeSlice.next();
            add(stats.restore([step], { hasMore: true }));
          }
          before = oldest.startSeconds;
        }
      }
    } catch (error) {
      log.error(`the statistics of earlier runs cannot be read: ${errorMessage(error)}`, {
        error: describeError(error),
      });
    }
    stats.restore([]);
    const { unknownFormat, damaged, problem } = unreadable;
    if (unknownFormat + damaged > 0)
      log.warning("some statistics of earlier runs cannot be read", {
        unknown_format: unknownFormat,
        damaged,
        ...(problem !== undefined && { problem }),
      });
  }

  /** Saves what waits. Never rejects. */
  function save(includeCurrent = false): Promise<void> {
    return (saving ??= saveWaiting(includeCurrent).finally(() => (saving = undefined)));
  }

  async function saveWaiting(includeCurrent: boolean): Promise<void> {
    const to = archive();
    if (to === undefined) return;
    for (const step of stats.takeClosed({ includeCurrent }))
      waiting.set(`${step.resolutionSeconds} ${step.startSeconds}`, step);
    if (waiting.size === 0) return;
    const steps = [...waiting.values()];
    let problem: string | undefined;
    try {
      if (!(await to.putStatsSteps(steps))) problem = "the trace store keeps nothing now";
    } catch (error) {
      problem = errorMessage(error);
    }
    if (problem === undefined) waiting.clear();
    else boundWaiting();
    if (problem !== undefined && !hasFailed) log.warning(`the statistics cannot be saved: ${problem}`);
    hasFailed = problem !== undefined;
  }

  function boundWaiting(): void {
    let bytes = [...waiting.values()].reduce((sum, { data }) => sum + data.length, 0);
    for (const [key, { data }] of waiting) {
      if (bytes <= MAX_WAITING_BYTES) return;
      waiting.delete(key);
      bytes -= data.length;
    }
  }

  async function saveLast(): Promise<void> {
    await restored;
    await saving;
    await save(true);
  }

  return {
    get restored() {
      return restored;
    },
    start() {
      const from = archive();
      if (from === undefined || timer !== undefined) return;
      // A step that continues one of an earlier run would replace it: nothing is saved before all are restored.
      let isRestored = false;
      restored = restore(from).finally(() => (isRestored = true));
      timer = setInterval(() => {
        if (isRestored) void save();
      }, INTERVAL_MS).unref();
    },
    async stop() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      let timeout: NodeJS.Timeout | undefined;
      const isLate = new Promise<void>((resolve) => (timeout = setTimeout(resolve, STOP_TIMEOUT_MS)));
      await Promise.race([saveLast(), isLate]);
      clearTimeout(timeout);
    },
  };
}
