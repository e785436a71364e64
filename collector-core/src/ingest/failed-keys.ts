import { LRUCache } from "lru-cache";
import { ApiError } from "../api-schema/errors.js";
import type { Clock } from "../runtime/clock.js";
import { truncateCodePoints } from "../span/kept-text.js";
import { clientNetwork } from "./client-network.js";

/**
 * Throttles guesses of a key, by the address that they come from.
 *
 * A right key must not be told from a wrong one while an address is throttled, or guessing would go on. Nor may a stranger
 * behind the same address (a NAT, a proxy) lock out those who work there: a key that was right from an address before is
 * let in from it. An app that goes on sending one wrong key, since nobody told it of the new one, guesses nothing: each
 * wrong key counts once.
 */
export interface FailedKeys {
  /** True for a key that was right from this address before. */
  isKnown(address: string, keyIndex: number): boolean;
  /** Notes that a key was right. */
  succeed(address: string, keyIndex: number): void;
  /** True for a key that is known to be wrong: it costs nothing to say so again. */
  isKnownWrong(digest: string): boolean;
  /**
   * Asks whether an address may try a key that is not known.
   *
   * @throws `ApiError` rate_limited.
   */
  require(address: string): void;
  /** Notes that a key was wrong. */
  fail(address: string, digest: string): void;
  /** What is held: addresses and keys. */
  readonly size: number;
}

/** Wrong keys from one address that may come at once. */
const BURST = 10;
/** One more may come after each of these. */
const REFILL_MS = 6000;
/** Of each kind, the least recently used goes when there are more. */
const MAX_HELD = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

export function createFailedKeys(clock: Pick<Clock, "monotonic">): FailedKeys {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_HELD });
  const wrong = new LRUCache<string, true>({ max: MAX_HELD });
  const right = new LRUCache<string, ReadonlySet<number>>({ max: MAX_HELD });

  /** As full as it is now; undefined where nothing was wrong lately. */
  function bucketOf(address: string): Bucket | undefined {
    const bucket = buckets.get(clientNetwork(address));
    if (bucket === undefined) return undefined;
    const nowMs = clock.monotonic();
    bucket.tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.atMs) / REFILL_MS);
    bucket.atMs = nowMs;
    return bucket;
  }

  return {
    isKnown: (address, keyIndex) => right.get(keyOf(address))?.has(keyIndex) === true,
    succeed(address, keyIndex) {
      const key = keyOf(address);
      right.set(key, new Set(right.get(key)).add(keyIndex));
    },
    isKnownWrong: (digest) => wrong.get(digest) === true,
    require(address) {
      const bucket = buckets.size === 0 ? undefined : bucketOf(address);
      if (bucket === undefined || bucket.tokens >= 1) return;
      const seconds = Math.max(1, Math.ceil(((1 - bucket.tokens) * REFILL_MS) / 1000));
      throw new ApiError(
        "rate_limited",
        `Too many wrong API keys from the address ${clientNetwork(address)}. Try again in ${seconds} s.`,
        { retry_after_seconds: seconds },
        { "Retry-After": String(seconds) },
      );
    },
    fail(address, digest) {
      wrong.set(digest, true);
      const bucket = bucketOf(address);
      if (bucket === undefined)
        buckets.set(clientNetwork(address), { tokens: BURST - 1, atMs: clock.monotonic() });
      else bucket.tokens -= 1;
    },
    get size() {
      return buckets.size + wrong.size + right.size;
    },
  };
}

/** Characters kept of an address, which may be any text that a proxy passes on. */
const MAX_ADDRESS_LENGTH = 64;

/** What right keys of an address are found by. */
function keyOf(address: string): string {
  return truncateCodePoints(address, MAX_ADDRESS_LENGTH);
}
