import { randomBytes } from "node:crypto";
import type { DeletedTraces, SharedDeletions } from "../interfaces.js";
import { listOf, type Reply } from "../redis/connection.js";
import { script } from "../redis/script.js";
import type { Clock } from "../runtime/clock.js";
import { KnownDeletions } from "./known-deletions.js";
import type { SharedRedis } from "./shared-redis.js";

/**
 * Adds deletions, and returns those that were added after a known one.
 *
 * Keys: stream. Arguments: id of the last known deletion; most deletions that are kept; time to keep them; most that are returned;
 * deletions to add.
 */
const SYNCHRONIZE = script(`
for i = 5, #ARGV do redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[2], '*', 'd', ARGV[i]) end
if #ARGV > 4 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[4])
`);

const KEY = "obspan:deleted";
/** A collector that was away while more were deleted does not learn of the others. */
const MAX_KEPT = 10_000;
/** As long as batches are remembered several times over; a collector that is away for longer has usually stopped. */
const KEPT_MS = 60 * 60_000;
const READ_AT_ONCE = 500;
/** Deletions that Redis could not be told of. */
const MAX_UNTOLD = 1000;
/** More than the longest tenant and trace id take as JSON. */
const MAX_LENGTH = 4096;

/** A deletion as it is kept. */
interface Message extends DeletedTraces {
  /** The collector. */
  readonly from: string;
  /** How long before it was added: Redis may have been away. */
  readonly agoMs: number;
}

/** Options of {@link createSharedDeletions}. */
export interface SharedDeletionsOptions {
  readonly redis: Pick<SharedRedis, "ask" | "onSecond">;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Deletions of all collectors. Redis keeps them for a while, so that a collector that was cut off for a time, or takes over what waited,
 * learns of them too. They are read every second, and when somebody asks.
 */
export function createSharedDeletions({ redis, clock }: SharedDeletionsOptions): SharedDeletions {
  const from = randomBytes(9).toString("base64url");
  const known = new KnownDeletions(MAX_KEPT);
  let listener: Parameters<SharedDeletions["subscribe"]>[0] | undefined;
  let untold: { readonly deleted: DeletedTraces; readonly atMs: number }[] = [];
  /** Id of the last deletion that was read. */
  let lastId = "0-0";
  let exchanging: Promise<void> = Promise.resolve();
  /** The exchange that begins when the current one is over. */
  let next: Promise<void> | undefined;

  /** What comes during an exchange waits for the next one, together. */
  function look(): Promise<void> {
    if (listener === undefined) return Promise.resolve();
    return (next ??= exchanging.then(() => {
      next = undefined;
      return (exchanging = exchange());
    }));
  }

  async function exchange(): Promise<void> {
    let isMore = true;
    let isOfOthers = false;
    while (isMore) {
      const told = untold.slice();
      const args = [lastId, ...[MAX_KEPT, KEPT_MS, READ_AT_ONCE].map(String), ...told.map(textOf)];
      const reply = await redis.ask({ state: "live", script: SYNCHRONIZE, keys: [KEY], args });
      if (reply === undefined) break;
      // The oldest may have been given up meanwhile.
      untold = untold.filter((each) => !told.includes(each));
      const entries = listOf(reply);
      for (const entry of entries) if (read(entry)) isOfOthers = true;
      isMore = entries.length === READ_AT_ONCE;
    }
    if (isOfOthers) listener?.((trace) => trace.receivedAtMs <= known.lastOf(trace));
  }

  function textOf({ deleted, atMs }: (typeof untold)[number]): string {
    const agoMs = Math.round(clock.monotonic() - atMs);
    return JSON.stringify({ from, ...deleted, agoMs } satisfies Message);
  }

  /** Returns true for a deletion of another collector. */
  function read(entry: Reply): boolean {
    const [id, fields] = listOf(entry);
    lastId = String(id);
    const message = readMessage(listOf(fields)[1]);
    if (message === undefined) return false;
    known.add(message, Number.parseInt(lastId, 10) - message.agoMs);
    return message.from !== from;
  }

  redis.onSecond(look);

  return {
    add(deleted) {
      const atMs = clock.monotonic();
      for (const each of deleted) untold.push({ deleted: each, atMs });
      untold.splice(0, untold.length - MAX_UNTOLD);
      return look();
    },
    look,
    lastOf: (key) => known.lastOf(key),
    subscribe: (subscriber) => void (listener = subscriber),
  };
}

/** Anybody who can reach Redis may add anything. */
function readMessage(text: Reply | undefined): Message | undefined {
  if (!Buffer.isBuffer(text) || text.length > MAX_LENGTH) return undefined;
  try {
    const value = JSON.parse(text.toString()) as Partial<Record<keyof Message, unknown>> | null;
    const { from, tenant, traceId, agoMs = 0 } = value ?? {};
    if (typeof from !== "string" || !isTextOrMissing(tenant) || !isTextOrMissing(traceId)) return undefined;
    if (typeof agoMs !== "number" || !(agoMs >= 0)) return undefined;
    return { from, tenant, traceId, agoMs };
  } catch {
    return undefined;
  }
}

function isTextOrMissing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}
