import { SpanHasher } from "../hashing/span-hashes.js";
import { hashNumber } from "../hashing/seeded-hash.js";
import type { MarkKind, SharedMarks, SpanMark } from "../interfaces.js";
import { script } from "../redis/script.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";
import type { SharedRedis } from "./shared-redis.js";

/**
 * Adds marks, and looks others up. Two sets hold them: when the younger one is full, or half of its time is over, it becomes the
 * older one. So a mark is kept for at least half of the time, unless too many follow.
 *
 * Keys: younger set, older set. Arguments: most marks of a set, its time to live, number of added marks, added marks, marks to look up.
 * Returns a 1 or 0 for each mark that was looked up.
 */
const EXCHANGE = script(`
local added = tonumber(ARGV[3])
local ttl = tonumber(ARGV[2])
if added > 0 then
  local left = redis.call('PTTL', KEYS[1])
  if left >= 0 and (left < ttl / 2 or redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[1])) then
    redis.call('UNLINK', KEYS[2])
    redis.call('RENAME', KEYS[1], KEYS[2])
    left = -2
  end
  redis.call('SADD', KEYS[1], unpack(ARGV, 4, 3 + added))
  if left < 0 then redis.call('PEXPIRE', KEYS[1], ttl) end
end
if #ARGV == 3 + added then return '' end
local younger = redis.call('SMISMEMBER', KEYS[1], unpack(ARGV, 4 + added))
local older = redis.call('SMISMEMBER', KEYS[2], unpack(ARGV, 4 + added))
for i = 1, #younger do younger[i] = math.max(younger[i], older[i]) end
return table.concat(younger)
`);

const KEYS = ["obspan:m:younger", "obspan:m:older"];
/** Marks of a set, of some 60 bytes each: both take at most 60 MB of Redis. */
const MAX_MARKS = 500_000;
/** Twice the time of contract 6. */
const TTL_MS = 20 * 60_000;
/** Marks of one question, which is short work for Redis. */
const MARKS_PER_QUESTION = 1000;
const RADIX = 36;

/** Short, since Redis keeps it with each mark. */
const KIND_PREFIX: Readonly<Record<MarkKind, string>> = {
  "parent of a call": "p",
  any: "a",
  llm: "l",
  embedding: "e",
  retrieval: "r",
  failed: "f",
  "llm below": "b",
};

/** Options of {@link createSharedMarks}. */
export interface SharedMarksOptions {
  readonly redis: Pick<SharedRedis, "ask" | "seed">;
  /** Marks of each of the two sets. */
  readonly maxMarks?: number;
  readonly ttlMs?: number;
}

/** Marks of spans, as hashes in Redis. The seed of the hashes is known to the collectors only. */
export function createSharedMarks({
  redis,
  maxMarks = MAX_MARKS,
  ttlMs = TTL_MS,
}: SharedMarksOptions): SharedMarks {
  let seed: Int32Array | undefined;
  let hasher = new SpanHasher();

  function textOf({ kind, tenant, traceId, spanId }: SpanMark): string {
    const hash = hasher.span(hasher.trace(tenant, traceId), spanId);
    return KIND_PREFIX[kind] + hashNumber(hash).toString(RADIX);
  }

  function ask(added: readonly string[], lookedUp: readonly string[]): MaybePromise<string | undefined> {
    const args = [String(maxMarks), String(ttlMs), String(added.length), ...added, ...lookedUp];
    return whenResolved(redis.ask({ state: "model_calls", script: EXCHANGE, keys: KEYS, args }), (reply) =>
      Buffer.isBuffer(reply) ? reply.toString() : undefined,
    );
  }

  /** Asks in parts. Parts without an answer know nothing. */
  async function askAll(added: readonly string[], lookedUp: readonly string[]): Promise<string> {
    const parts: Promise<string>[] = [];
    for (let from = 0; from < Math.max(added.length, lookedUp.length); from += MARKS_PER_QUESTION) {
      const some = lookedUp.slice(from, from + MARKS_PER_QUESTION);
      const answer = ask(added.slice(from, from + MARKS_PER_QUESTION), some);
      parts.push(Promise.resolve(answer).then((text) => text ?? "0".repeat(some.length)));
    }
    return (await Promise.all(parts)).join("");
  }

  return {
    exchange(added, lookedUp) {
      if (redis.seed !== seed) {
        seed = redis.seed;
        hasher = new SpanHasher(seed);
      }
      const addedTexts = added.map(textOf);
      const texts = lookedUp.map(textOf);
      const isShort = Math.max(added.length, lookedUp.length) <= MARKS_PER_QUESTION;
      const answer = isShort ? ask(addedTexts, texts) : askAll(addedTexts, texts);
      return whenResolved(answer, (text) => lookedUp.filter((_mark, index) => text?.[index] === "1"));
    },
  };
}
