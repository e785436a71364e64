import { TokenBucket } from "limiter";
import { LRUCache } from "lru-cache";
import { ApiError } from "../api-schema/errors.js";
import { clientNetwork } from "./client-network.js";
import { copyText, truncateCodePoints } from "../span/kept-text.js";
import { MAX_CONTEXT_LENGTH } from "./validate-batch.js";

/** `rate_limit.…` (spec 2.6); requests per minute. */
export interface RateLimitOptions {
  readonly perIpRpm: number;
  readonly perServiceRpm: number;
}

/** Headers that tell a sender how much it has left. */
export type RateLimitHeaders = Readonly<Record<string, string>>;

/**
 * Limits requests that bring spans, before they enter the queue (spec 4.9 rule 7).
 *
 * Both throw `ApiError` rate_limited, with Retry-After.
 */
export interface RateLimits {
  takeForAddress(address: string): RateLimitHeaders;
  takeForService(service: string): RateLimitHeaders;
}

/** Buckets of one limit. The least recently used goes when there are more: a sender of many names cannot fill memory. */
const MAX_BUCKETS = 10_000;

/**
 * A token bucket for each address and each service: it holds a minute's requests and refills evenly, so that no minute
 * ever takes twice the limit, as counting in windows would let happen.
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
    // As much of the name as is kept everywhere else.
    takeForService: (service) => takeService(truncateCodePoints(service, MAX_CONTEXT_LENGTH)),
  };
}

function createLimit(option: string, rpm: number, nameOf: (key: string) => string) {
  const buckets = new LRUCache<string, TokenBucket>({ max: MAX_BUCKETS });

  function bucketOf(key: string): TokenBucket {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    const bucket = new TokenBucket({ bucketSize: rpm, tokensPerInterval: rpm, interval: "minute" });
    // A bucket starts empty; a sender that has not sent yet has all of it.
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
      `More than ${rpm} requests a minute from ${nameOf(key)} (rate_limit.${option}). Send again in ${retryAfter} s.`,
      { limit: rpm, retry_after_seconds: retryAfter },
      { ...headers, "Retry-After": String(retryAfter) },
    );
  };
}
