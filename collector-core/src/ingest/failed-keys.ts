import { ApiError } from "../api-schema/errors.js";
import type { Clock } from "../runtime/clock.js";
import { createLruCache } from "../runtime/lru-cache.js";
import { truncateCodePoints } from "../span/kept-text.js";
import { clientNetwork } from "./client-network.js";

/**
 * Throttles key guesses by client address.
 *
 * A throttled address gets the same response for a right and a wrong key, so that guessing is useless. A stranger behind
 * the same address (NAT, proxy) must not lock out other clients: a key that has succeeded from an address is not
 * throttled there. Each wrong key counts once, so that an application with an outdated key does not throttle its address.
 */
export interface FailedKeys {
  /** Returns true for a key that has succeeded from this address. */
  hasSucceeded(address: string, keyIndex: number): boolean;
  /** Records a right key. */
  recordSuccess(address: string, keyIndex: number): void;
  /** Returns true for a recorded wrong key. */
  isRecordedWrong(digest: string): boolean;
  /**
   * Requires that the address is not throttled.
   *
   * @throws `ApiError` rate_limited.
   */
  requireNotThrottled(address: string): void;
  /** Records a wrong key and takes a token of its address. */
  recordFailure(address: string, digest: string): void;
  /** Number of recorded addresses and keys. */
  readonly size: number;
}

/** Wrong keys that an address may send before it is throttled. */
const BURST = 10;
/** Time until an address may send one more wrong key. */
const REFILL_MS = 6000;
/** Capacity of each cache. The least recently used entry is evicted. */
const MAX_HELD = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

export function createFailedKeys(clock: Pick<Clock, "monotonic">): FailedKeys {
  const buckets = createLruCache<string, Bucket>(MAX_HELD);
  const wrong = createLruCache<string, true>(MAX_HELD);
  const right = createLruCache<string, ReadonlySet<number>>(MAX_HELD);

  /** Returns the refilled bucket of an address, or undefined if it has no recent wrong key. */
  function bucketOf(address: string): Bucket | undefined {
    const bucket = buckets.get(clientNetwork(address));
    if (bucket === undefined) return undefined;
    const nowMs = clock.monotonic();
    bucket.tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.atMs) / REFILL_MS);
    bucket.atMs = nowMs;
    return bucket;
  }

  return {
    hasSucceeded: (address, keyIndex) => right.get(keyOf(address))?.has(keyIndex) === true,
    recordSuccess(address, keyIndex) {
      const key = keyOf(address);
      right.set(key, new Set(right.get(key)).add(keyIndex));
    },
    isRecordedWrong: (digest) => wrong.get(digest) === true,
    requireNotThrottled(address) {
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
    recordFailure(address, digest) {
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

/** Maximum characters of an address, which may be any text from a proxy. */
const MAX_ADDRESS_LENGTH = 64;

/** Returns the cache key for the right keys of an address. */
function keyOf(address: string): string {
  return truncateCodePoints(address, MAX_ADDRESS_LENGTH);
}
