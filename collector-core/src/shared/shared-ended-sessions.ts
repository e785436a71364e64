import type { EndedSessions } from "../interfaces.js";
import { listOf } from "../redis/connection.js";
import { NOW_MS, script } from "../redis/script.js";
import type { SharedRedis } from "./shared-redis.js";

/**
 * Adds ended sessions, and returns those that have ended since a time, by the clock of Redis.
 *
 * Keys: sessions, by the time of their end. Arguments: time, most sessions, lifetime of a session, sessions to add. Returns the time of
 * Redis, and the sessions.
 */
const SYNCHRONIZE = script(`${NOW_MS}
local now = nowMs()
for i = 4, #ARGV do redis.call('ZADD', KEYS[1], now, ARGV[i]) end
if #ARGV > 3 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return {now, redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf')}
`);

const KEY = "obspan:sessions";
/** As many as a collector remembers. */
const MAX_SESSIONS = 10_000;
/** Longer than a session is valid. */
const LIFETIME_MS = 13 * 60 * 60_000;
/** Sessions are read again for this time: the clock of Redis may be set back a little. */
const OVERLAP_MS = 60_000;
/** Ids are shorter. */
const MAX_ID_LENGTH = 64;

/**
 * Ended sessions of all collectors. They are read every second into the memory of this one, so that a request waits for nothing.
 *
 * @param known - the memory of this collector.
 */
export function createSharedEndedSessions(
  redis: Pick<SharedRedis, "ask" | "onSecond">,
  known: EndedSessions,
): EndedSessions {
  /** Ended here, and not yet known to be in Redis. */
  const untold = new Set<string>();
  let readUpToMs = 0;

  async function synchronize(): Promise<void> {
    const told = [...untold];
    const since = String(Math.max(0, readUpToMs - OVERLAP_MS));
    const args = [since, String(MAX_SESSIONS), String(LIFETIME_MS), ...told];
    const reply = await redis.ask({ state: "sessions", script: SYNCHRONIZE, keys: [KEY], args });
    if (reply === undefined) return;
    for (const id of told) untold.delete(id);
    const [nowMs, ended] = listOf(reply);
    for (const id of listOf(ended))
      if (Buffer.isBuffer(id) && id.length <= MAX_ID_LENGTH) known.add(id.toString());
    readUpToMs = Number(nowMs);
  }

  redis.onSecond(synchronize);

  return {
    has: (id) => known.has(id),
    add(id) {
      known.add(id);
      untold.add(id);
      const [oldest] = untold;
      if (untold.size > MAX_SESSIONS && oldest !== undefined) untold.delete(oldest);
      void synchronize();
    },
  };
}
