import type { BucketLevel, SharedBucket, SharedBuckets } from "../interfaces.js";
import { listOf, type Reply } from "../redis/connection.js";
import { hashedKey } from "../redis/hashed-key.js";
import { NOW_MS, script } from "../redis/script.js";
import { whenResolved } from "../runtime/maybe-promise.js";
import type { SharedRedis } from "./shared-redis.js";

/**
 * Takes a token from each bucket, up to the first empty one. A bucket has its tokens and the time of the last request, by the clock
 * of Redis. It expires when it is full again.
 *
 * Keys: buckets. Arguments: the requests a minute of each. Returns how many buckets gave a token, and the tokens of each that was
 * looked at.
 */
const TAKE = script(`${NOW_MS}
local now = nowMs()
local taken = 0
local levels = {}
for i, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[i])
  local tokens = limit
  local kept = redis.call('GET', key)
  if kept then
    local left, at = string.match(kept, '^(%S+) (%d+)$')
    tokens = math.min(limit, tonumber(left) + math.max(0, now - tonumber(at)) * limit / 60000)
  end
  if tokens >= 1 then
    taken = taken + 1
    tokens = tokens - 1
    local fullIn = math.max(1, math.ceil((limit - tokens) / limit * 60000))
    redis.call('SET', key, string.format('%.6f %.0f', tokens, now), 'PX', fullIn)
  end
  levels[i] = string.format('%.6f', tokens)
  if taken < i then break end
end
return {taken, unpack(levels)}
`);

const PREFIX = "obspan:r:";

/** The buckets of rate limits, in Redis. */
export function createSharedBuckets(redis: Pick<SharedRedis, "ask">): SharedBuckets {
  return {
    take(buckets) {
      const keys = buckets.map(keyOf);
      const args = buckets.map(({ perMinute }) => String(perMinute));
      return whenResolved(redis.ask({ state: "rate_limits", script: TAKE, keys, args }), levelsOf);
    },
  };
}

function keyOf({ kind, name }: SharedBucket): string {
  return hashedKey(`${PREFIX}${kind}:`, name);
}

function levelsOf(reply: Reply | undefined): BucketLevel[] | undefined {
  if (reply === undefined) return undefined;
  const [taken, ...levels] = listOf(reply);
  return levels.map((tokens, index) => ({ tokens: Number(tokens), isTaken: index < Number(taken) }));
}
