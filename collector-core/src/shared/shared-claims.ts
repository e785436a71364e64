import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { SharedClaims } from "../interfaces.js";
import { hashedKey } from "../redis/hashed-key.js";
import { script } from "../redis/script.js";
import type { SharedRedis } from "./shared-redis.js";

/**
 * Claims work. Keys: claim. Arguments: owner, time until the claim expires. Returns 0 if it is ours, -1 if the work is done, else the
 * milliseconds until the claim of another owner expires.
 */
const CLAIM = script(`
local held = redis.call('GET', KEYS[1])
if held == 'done' then return -1 end
if held and held ~= ARGV[1] then return math.max(1, redis.call('PTTL', KEYS[1])) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0
`);

/** Ends a claim. Keys: claim. Arguments: owner, 1 if the work is done, else 0, time to remember that. */
const END = script(`
if ARGV[2] == '1' then
  redis.call('SET', KEYS[1], 'done', 'PX', ARGV[3])
elseif redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 0
`);

const PREFIX = "obspan:e:";
/** As long as batches are remembered: later, nobody is given the same span again. */
const REMEMBERED_MS = 10 * 60_000;
/** Another collector may end its work before its claim expires. */
const LONGEST_WAIT_MS = 1000;

/** Claims in Redis on the evaluations of spans. */
export function createSharedClaims(redis: Pick<SharedRedis, "ask">): SharedClaims {
  const owner = randomBytes(9).toString("base64url");

  return {
    async claim(name, expiresInMs, signal) {
      const question = {
        state: "evaluations",
        script: CLAIM,
        keys: [keyOf(name)],
        args: [owner, String(expiresInMs)],
      } as const;
      for (;;) {
        const reply = await redis.ask(question);
        if (reply === undefined || reply === 0) return true;
        if (reply === -1) return false;
        await wait(Math.min(Number(reply), LONGEST_WAIT_MS), undefined, { signal, ref: false });
      }
    },
    async end(name, isDone) {
      const args = [owner, isDone ? "1" : "0", String(REMEMBERED_MS)];
      await redis.ask({ state: "evaluations", script: END, keys: [keyOf(name)], args });
    },
  };
}

function keyOf(name: readonly string[]): string {
  return hashedKey(PREFIX, JSON.stringify(name));
}
