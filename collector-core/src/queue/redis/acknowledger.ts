import { listOf, type Connection, type Reply } from "../../redis/connection.js";
import { RETRY_MS, pause } from "../../redis/pause.js";
import type { Clock } from "../../runtime/clock.js";
import type { HeldEntry } from "./held-entries.js";
import { GATHER_MS } from "./fetcher.js";
import { COUNTERS, GROUP, STREAM } from "./keys.js";
import { ACKNOWLEDGE } from "./scripts.js";

/** How processed spans are saved. */
export interface Saving {
  /** Resolves when they are. */
  readonly save: () => Promise<void>;
  /**
   * True if spans that are not saved go to another collector: they are not acknowledged. A store of this process counts them
   * itself.
   */
  readonly isShared: boolean;
  /** How long many are gathered before that. */
  readonly everyMs: number;
}

/** Options of {@link createAcknowledger}. */
export interface AcknowledgerOptions {
  readonly connection: Connection;
  readonly replicaId: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly saving: Saving | undefined;
  /** Spans and bytes in Redis afterwards. */
  readonly onCounters: (spans: Reply | undefined, bytes: Reply | undefined) => void;
  /** True once nothing is acknowledged any more. */
  readonly isAbandoned: () => boolean;
}

/** Acknowledged in one step, during which Redis does nothing else: about a millisecond. */
const AT_ONCE = 200;
/** Others take an entry over when it was not touched for 30 s, which may have been 10 s ago. */
const SURELY_OURS_MS = 15_000;

/**
 * Acknowledges processed entries, many at once: one question to the store for all that were processed meanwhile, then to Redis some at a
 * time. Asks again until Redis answers.
 */
export function createAcknowledger({
  connection,
  replicaId,
  clock,
  saving,
  onCounters,
  isAbandoned,
}: AcknowledgerOptions) {
  const processed: HeldEntry[] = [];
  /** Entries whose acknowledgement may have reached Redis without an answer, and when it was sent first. */
  const unclearSinceMs = new Map<HeldEntry, number>();
  let isRunning = false;

  /** Nobody else can have taken the entry over so soon: it was our own acknowledgement that had arrived. */
  function isOursAnyway(entry: HeldEntry): boolean {
    return clock.monotonic() - (unclearSinceMs.get(entry) ?? -Infinity) < SURELY_OURS_MS;
  }

  async function areSaved(): Promise<boolean> {
    try {
      await saving?.save();
      return true;
    } catch {
      return saving?.isShared !== true;
    }
  }

  /** Acknowledges the next entries, which are saved. @returns false if Redis does not answer. */
  async function acknowledge(entries: readonly HeldEntry[]): Promise<boolean> {
    const sentAtMs = clock.monotonic();
    try {
      const triples = entries.flatMap(({ id, batch }) => [
        id,
        String(batch.spanCount),
        String(batch.body.byteLength),
      ]);
      const args = [GROUP, replicaId, ...triples];
      const reply = listOf(await connection.run(ACKNOWLEDGE, [STREAM, COUNTERS], args));
      onCounters(reply[0], reply[1]);
      processed.splice(0, entries.length);
      for (const [index, entry] of entries.entries()) {
        entry.settle(reply[index + 2] === 1 || isOursAnyway(entry));
        unclearSinceMs.delete(entry);
      }
      return true;
    } catch {
      // A connection that does not answer is given up after ten seconds: others may take the entries over soon after.
      for (const entry of entries) if (!unclearSinceMs.has(entry)) unclearSinceMs.set(entry, sentAtMs);
      return false;
    }
  }

  async function acknowledgeAll(): Promise<void> {
    while (processed.length > 0 && !isAbandoned()) {
      // Long enough that many are acknowledged together.
      await pause(Math.max(saving?.everyMs ?? 0, GATHER_MS));
      const entries = processed.slice();
      if (!(await areSaved())) {
        await pause(RETRY_MS);
        continue;
      }
      for (let from = 0; from < entries.length && !isAbandoned(); from += AT_ONCE) {
        if (await acknowledge(entries.slice(from, from + AT_ONCE))) continue;
        await pause(RETRY_MS);
        break;
      }
    }
    isRunning = false;
  }

  return (entry: HeldEntry): void => {
    processed.push(entry);
    if (isRunning) return;
    isRunning = true;
    void acknowledgeAll();
  };
}
