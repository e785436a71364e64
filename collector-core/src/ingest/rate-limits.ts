import { TokenBucket } from "limiter";
import { ApiError } from "../api-schema/errors.js";
import { clientNetwork } from "./client-network.js";
import { createLruCache } from "../runtime/lru-cache.js";
import { copyText, truncateCodePoints } from "../span/kept-text.js";
import { MAX_CONTEXT_LENGTH } from "./validate-batch.js";

/** `rate_limit.…` (spec 2.6); requests per minute. */
export interface RateLimitOptions {
  readonly perIpRpm: number;
  readonly perServiceRpm: number;
}

/** Headers with the remaining requests of a sender. */
export type RateLimitHeaders = Readonly<Record<string, string>>;

/**
 * Limits ingest requests before they enter the queue (spec 4.9 rule 7).
 *
 * Both methods throw `ApiError` rate_limited, with Retry-After.
 */
export interface RateLimits {
  takeForAddress(address: string): RateLimitHeaders;
  takeForService(service: string): RateLimitHeaders;
}

/** Maximum buckets of a limit. The least recently used is evicted, so that a sender of many names cannot fill the memory. */
const MAX_BUCKETS = 10_000;

/**
 * Creates a token bucket for each address and each service. A bucket holds the requests of one minute and refills evenly.
 * Fixed windows would allow twice the limit at their border.
 */
export function createRateLimits({ perIpRpm, perServiceRpm }: RateLimitOptions): RateLimits {
  const takeIp = createLimit("per_ip_rpm", perIpRpm, (address) => `the address ${address}`);
  const takeService = createLimit(
    "per_service_rpm",
    perServiceRpm,
    (service) => `the service ${JSON.stringify(truncateCodePoints(service, 100))}`,
  );
  return {
    takeForAddress: (address) => takeIp(clientNetwork(address)),
    // The same length as everywhere else.
    takeForService: (service) => takeService(truncateCodePoints(service, MAX_CONTEXT_LENGTH)),
  };
}

function createLimit(option: string, rpm: number, nameOf: (key: string) => string) {
  const buckets = createLruCache<string, TokenBucket>(MAX_BUCKETS);

  function bucketOf(key: string): TokenBucket {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    const bucket = new TokenBucket({ bucketSize: rpm, tokensPerInterval: rpm, interval: "minute" });
    // TokenBucket starts empty; a new sender has the full limit.
    bucket.content = rpm;
    buckets.set(copyText(key), bucket);
    return bucket;
  }

  return (key: string): RateLimitHeaders => {
    const bucket = bucketOf(key);
    const isTaken = bucket.tryRemoveTokens(1);
    const headers = {
      "RateLimit-Limit": String(rpm),
      "RateLimit-Remaining": String(Math.floor(bucket.content)),
      "RateLimit-Reset": String(Math.ceil(((rpm - bucket.content) / rpm) * 60)),
      "RateLimit-Policy": `${rpm};w=60`,
    };
    if (isTaken) return headers;
    const retryAfter = Math.max(1, Math.ceil(bucket.getWaitTime(1) / 1000));
    throw new ApiError(
      "rate_limited",
      `More than ${rpm} requests per minute from ${nameOf(key)} (rate_limit.${option}). Try again in ${retryAfter} s.`,
      { limit: rpm, retry_after_seconds: retryAfter },
      { ...headers, "Retry-After": String(retryAfter) },
    );
  };
}
