import { randomBytes } from "node:crypto";
import type { DeletedTraces, LiveBus, SharedDeletions } from "../interfaces.js";
import { listOf, type Reply } from "../redis/connection.js";
import { script } from "../redis/script.js";
import type { SharedRedis } from "./shared-redis.js";

/**
 * Adds deletions, and returns those that were added after a known one.
 *
 * Keys: stream. Arguments: id of the last known deletion, or an empty text; most deletions that are kept; time to keep them; most
 * that are returned; deletions to add. Returns the id of the last deletion if none was known, else the entries.
 */
const SYNCHRONIZE = script(`
local known = ARGV[1]
if known == '' then
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  known = last and last[1] or '0-0'
end
for i = 5, #ARGV do redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[2], '*', 'd', ARGV[i]) end
if #ARGV > 4 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
if ARGV[1] == '' then return known end
return redis.call('XRANGE', KEYS[1], '(' .. known, '+', 'COUNT', ARGV[4])
`);

const KEY = "obspan:deleted";
/** A collector that was away while more were deleted does not learn of the others. */
const MAX_KEPT = 10_000;
/** As long as batches are remembered several times over; a collector that is away for longer has usually stopped. */
const KEPT_MS = 60 * 60_000;
const READ_AT_ONCE = 500;
/** Deletions that Redis could not be told of. */
const MAX_UNTOLD = 1000;
/** Several times what the longest tenant and trace id take. */
const MAX_LENGTH = 16 * 1024;

/** A deletion as it is kept. */
interface Message extends DeletedTraces {
  /** The collector. */
  readonly from: string;
}

/** Options of {@link createSharedDeletions}. */
export interface SharedDeletionsOptions {
  readonly redis: Pick<SharedRedis, "ask" | "onSecond">;
  /** Tells the others to look at once. */
  readonly live: Pick<LiveBus, "publish">;
}

/**
 * Deletions of all collectors, in their order. Redis keeps them for a while, so that a collector that was cut off for a time learns of
 * them too. They are read every second, and when another collector says that there are new ones.
 */
export function createSharedDeletions({ redis, live }: SharedDeletionsOptions): SharedDeletions {
  const from = randomBytes(9).toString("base64url");
  let listener: ((deleted: DeletedTraces) => void) | undefined;
  let untold: string[] = [];
  /** Id of the last deletion that was read; an empty text until Redis has answered. */
  let known = "";
  let isAsking = false;
  let isDue = false;

  async function look(): Promise<void> {
    if (listener === undefined) return;
    isDue = true;
    if (isAsking) return;
    isAsking = true;
    try {
      while (isDue) {
        isDue = false;
        await exchange();
      }
    } finally {
      isAsking = false;
    }
  }

  async function exchange(): Promise<void> {
    const told = [...untold];
    const isFirst = known === "";
    const args = [known, ...[MAX_KEPT, KEPT_MS, READ_AT_ONCE].map(String), ...told];
    const reply = await redis.ask({ state: "live", script: SYNCHRONIZE, keys: [KEY], args });
    if (reply === undefined) return;
    // The oldest may have been given up meanwhile.
    untold = untold.filter((each) => !told.includes(each));
    if (told.length > 0) live.publish("cleared");
    if (isFirst) known = String(reply);
    else read(listOf(reply));
  }

  function read(entries: readonly Reply[]): void {
    for (const entry of entries) {
      const [id, fields] = listOf(entry);
      known = String(id);
      const message = readMessage(listOf(fields)[1]);
      if (message !== undefined && message.from !== from) listener?.(message);
    }
    if (entries.length === READ_AT_ONCE) isDue = true;
  }

  redis.onSecond(look);

  return {
    add(deleted) {
      untold.push(JSON.stringify({ from, ...deleted } satisfies Message));
      if (untold.length > MAX_UNTOLD) untold.shift();
      void look();
    },
    look: () => void look(),
    subscribe: (subscriber) => void (listener = subscriber),
  };
}

/** Anybody who can reach Redis may add anything. */
function readMessage(text: Reply | undefined): Message | undefined {
  if (!Buffer.isBuffer(text) || text.length > MAX_LENGTH) return undefined;
  try {
    const value = JSON.parse(text.toString()) as Partial<Record<keyof Message, unknown>> | null;
    const { from, tenant, traceId } = value ?? {};
    if (typeof from !== "string" || !isTextOrMissing(tenant) || !isTextOrMissing(traceId)) return undefined;
    return { from, tenant, traceId };
  } catch {
    return undefined;
  }
}

function isTextOrMissing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}
