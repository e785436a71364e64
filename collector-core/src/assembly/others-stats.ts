import type { SharedStatsArchive, WrittenStep } from "../interfaces.js";
import type { Logger } from "../logging/logger.js";
import type { OtherSteps } from "../pipeline/stats/other-steps.js";
import { floorTo, MINUTE_MS } from "../pipeline/stats/span-stats.js";
import { errorMessage } from "../runtime/describe-error.js";
import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";
import type { StartedPart } from "./lifecycle.js";

/** How often the steps of others are read while nobody asks for them. */
const INTERVAL_MS = 30_000;
/** An answer has what was written before. */
const FRESH_MS = 2000;
/** Longest time that an answer waits for them. */
const WAIT_MS = 1000;
/** A step may be visible so long after the time that it was written at. */
const OVERLAP_MS = 120_000;
const HOUR_SECONDS = 3600;
const DAY_HOURS = 24;
/** After a longer time without an answer, steps of the last hour may be missing: all are read again. */
const RELOAD_AFTER_MS = 50 * 60_000;

type KnownStep = Pick<WrittenStep, "writer" | "startSeconds" | "writtenMs">;

/** Collaborators of {@link createOthersStats}. */
interface OthersStatsParts {
  readonly others: OtherSteps;
  readonly archive: Pick<SharedStatsArchive, "written" | "minutes">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Reads what other collectors have counted. */
export interface OthersStats extends StartedPart {
  /** Resolves when what others have written is known, or soon if that cannot be read. Never rejects. */
  refreshed(): Promise<void>;
}

export function createOthersStats({ others, archive, clock, log }: OthersStatsParts): OthersStats {
  /** The steps of a day that were read, by writer and start. An insert that is repeated after an outage writes one again. */
  const known = new Map<string, KnownStep>();
  let writtenUpToMs = 0;
  let fromSeconds = 0;
  let isLoaded = false;
  let refreshedAtMs = -Infinity;
  let triedAtMs = -Infinity;
  let refreshing: Promise<void> | undefined;
  let hasFailed = false;
  let unreadable = 0;
  let timer: NodeJS.Timeout | undefined;

  async function add(steps: readonly WrittenStep[]): Promise<void> {
    const timeSlice = new TimeSlice(clock);
    for (const step of steps) {
      if (timeSlice.isOver()) await timeSlice.next();
      if (!others.add(step) && unreadable++ === 0)
        log.warning("some statistics of other collectors cannot be read: are they of another version?");
    }
  }

  async function addNew(steps: readonly WrittenStep[]): Promise<void> {
    const added = steps.filter(({ writer, startSeconds, writtenMs }) => {
      const key = `${startSeconds} ${writer}`;
      const isNew = !known.has(key);
      known.set(key, { writer, startSeconds, writtenMs });
      writtenUpToMs = Math.max(writtenUpToMs, writtenMs);
      return isNew;
    });
    await add(added);
  }

  /** Adds the steps of the last hour, and those that follow. */
  async function addWritten(): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const sinceMs = Math.max(0, writtenUpToMs - OVERLAP_MS);
      const lately = [...known.values()].filter(({ writtenMs }) => writtenMs >= sinceMs);
      hasMore = await archive.written({ sinceMs, fromSeconds, known: lately }, addNew);
    }
    const oldest = clock.now() / 1000 - DAY_HOURS * HOUR_SECONDS;
    for (const [key, { startSeconds }] of known) if (startSeconds < oldest) known.delete(key);
  }

  async function loadAll(): Promise<void> {
    others.clear();
    known.clear();
    writtenUpToMs = 0;
    fromSeconds = floorTo(clock.now() - HOUR_SECONDS * 1000, MINUTE_MS) / 1000;
    await addWritten();
    for (let hour = 0; hour < DAY_HOURS; hour++) {
      const before = fromSeconds - hour * HOUR_SECONDS;
      await archive.minutes(before - HOUR_SECONDS, before, add);
    }
    isLoaded = true;
  }

  async function read(): Promise<void> {
    const startedMs = clock.monotonic();
    triedAtMs = startedMs;
    if (startedMs - refreshedAtMs > RELOAD_AFTER_MS) isLoaded = false;
    try {
      await (isLoaded ? addWritten() : loadAll());
      refreshedAtMs = startedMs;
      hasFailed = false;
    } catch (error) {
      // The store closes while a collector stops.
      if (!hasFailed && timer !== undefined)
        log.warning(`the statistics of other collectors cannot be read: ${errorMessage(error)}`);
      hasFailed = true;
    }
  }

  function refresh(): Promise<void> {
    return (refreshing ??= read().finally(() => (refreshing = undefined)));
  }

  return {
    async refreshed() {
      if (refreshing === undefined && clock.monotonic() - triedAtMs < FRESH_MS) return;
      let timeout: NodeJS.Timeout | undefined;
      const isLate = new Promise<void>((resolve) => (timeout = setTimeout(resolve, WAIT_MS)));
      await Promise.race([refresh(), isLate]);
      clearTimeout(timeout);
    },
    start() {
      timer ??= setInterval(() => void refresh(), INTERVAL_MS).unref();
      void refresh();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
