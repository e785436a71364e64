import { listOf, type Connection, type Reply } from "../../redis/connection.js";
import type { Clock } from "../../runtime/clock.js";
import { readEntries, type Entry } from "./entries.js";
import { COUNTERS, DEAD_LETTERS, GROUP, STREAM } from "./keys.js";
import { BURY, LOOK, RELEASE, TOUCH } from "./scripts.js";

/** Options of {@link createCaretaker}. */
export interface CaretakerOptions {
  readonly connection: Connection;
  readonly replicaId: string;
  readonly deadLetterTtlSeconds: number;
  readonly clock: Pick<Clock, "monotonic">;
  /** The entries that this collector holds. */
  readonly heldIds: () => readonly string[];
  readonly hasRoom: () => boolean;
  /** How many entries may be claimed together. */
  readonly atOnce: () => number;
  /** Entries of another collector, with how often they were given to one before. */
  readonly onClaimed: (entries: readonly Entry[], deliveries: number) => void;
  /** Entries that another collector has claimed, because this one was not heard of for a time. */
  readonly onLost: (ids: readonly string[]) => void;
  readonly onBuried: (spans: number, reason: string) => void;
}

/** Entries of a collector that has not been heard of for this time are given to others. */
const CLAIM_IDLE_MS = 30_000;
const LOOKED_AT = 32;
/** A collector says this often that it still works on its entries. */
const TOUCH_EVERY_MS = 10_000;
/** Less than a millisecond of work for Redis. */
const TOUCHED_AT_ONCE = 250;
/** Until then, nobody can have claimed what this collector touched last. */
const SURE_MS = 25_000;
/** An entry that was given out so often without an acknowledgement is put aside: it may be what kills collectors. */
const MAX_DELIVERIES = 5;
const MAX_DEAD_LETTERS = 10_000;
const MAX_DEAD_BYTES = 64 * 1024 * 1024;

/** Looks after the stream: reads its size, claims the entries of collectors that are gone, puts dead letters aside. */
export function createCaretaker(options: CaretakerOptions) {
  const { connection, replicaId, clock, heldIds, hasRoom, atOnce } = options;
  const deadLimits = [options.deadLetterTtlSeconds * 1000, MAX_DEAD_LETTERS, MAX_DEAD_BYTES].map(String);
  let touchedAtMs = clock.monotonic();

  /** Reads spans, bytes and the time of Redis. */
  async function look(): Promise<readonly Reply[]> {
    return listOf(await connection.run(LOOK, [STREAM, COUNTERS, DEAD_LETTERS], deadLimits));
  }

  /** Puts an entry aside. */
  async function bury(id: string, reason: string, deliveries: number): Promise<void> {
    const args = [GROUP, replicaId, id, String(CLAIM_IDLE_MS), reason, String(deliveries), ...deadLimits];
    const [isBuried, spans] = listOf(await connection.run(BURY, [STREAM, COUNTERS, DEAD_LETTERS], args));
    if (isBuried === 1) options.onBuried(Number(spans), reason);
  }

  /** Claims entries that nobody has worked on for a time. @returns true if there may be more. */
  async function claim(): Promise<boolean> {
    const idle = ["IDLE", String(CLAIM_IDLE_MS), "-", "+", String(LOOKED_AT)];
    const idsOf = new Map<number, string[]>();
    const pending = listOf(await connection.command(["XPENDING", STREAM, GROUP, ...idle]));
    for (const each of pending) {
      const [id, , , deliveries] = listOf(each);
      if (!Buffer.isBuffer(id) || typeof deliveries !== "number") continue;
      if (deliveries >= MAX_DELIVERIES) await bury(id.toString(), "deliveries", deliveries);
      else idsOf.set(deliveries, [...(idsOf.get(deliveries) ?? []), id.toString()]);
    }
    for (const [deliveries, ids] of idsOf) {
      while (ids.length > 0 && hasRoom()) {
        const some = ids.splice(0, atOnce());
        const claimed = ["XCLAIM", STREAM, GROUP, replicaId, String(CLAIM_IDLE_MS), ...some];
        options.onClaimed(readEntries(await connection.command(claimed)), deliveries);
      }
    }
    return pending.length === LOOKED_AT;
  }

  /** Says that this collector still works on its entries, which may wait for a slow store. */
  async function touch(): Promise<void> {
    const nowMs = clock.monotonic();
    if (nowMs - touchedAtMs < TOUCH_EVERY_MS) return;
    const ids = heldIds();
    for (let from = 0; from < ids.length; from += TOUCHED_AT_ONCE) {
      const some = ids.slice(from, from + TOUCHED_AT_ONCE);
      const others = listOf(await connection.run(TOUCH, [STREAM], [GROUP, replicaId, ...some]));
      if (others.length > 0) options.onLost(others.map(String));
    }
    touchedAtMs = nowMs;
  }

  /** False if another collector may have claimed what this one holds: it was stopped for a while, or cut off. */
  function isSure(): boolean {
    return clock.monotonic() - touchedAtMs < SURE_MS;
  }

  /** Gives up what this collector holds: others claim it at once. */
  async function release(): Promise<void> {
    await connection.run(RELEASE, [STREAM], [GROUP, replicaId]);
  }

  return { look, bury, claim, touch, isSure, release };
}
