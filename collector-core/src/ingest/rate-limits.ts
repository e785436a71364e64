import { TokenBucket } from "limiter";
import { ApiError } from "../api-schema/errors.js";
import type { BucketLevel, SharedBucket, SharedBuckets } from "../interfaces.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";
import { clientNetwork } from "./client-network.js";
import { createLruCache } from "../runtime/lru-cache.js";
import { copyText, truncateCodePoints } from "../span/kept-text.js";
import { MAX_CONTEXT_LENGTH } from "./validate-batch.js";

/** `rate_limit.…` (spec 2.6); requests per minute. */
export interface RateLimitOptions {
  readonly perIpRpm: number;
  readonly perServiceRpm: number;
  /** The buckets of all collectors; undefined if this one shares them with none. */
  readonly shared?: SharedBuckets | undefined;
}

/** Headers with the remaining requests of a sender. */
export type RateLimitHeaders = Readonly<Record<string, string>>;

/**
 * Limits ingest requests before they enter the queue (spec 4.9 rule 7).
 *
 * All methods throw `ApiError` rate_limited, with Retry-After.
 */
export interface RateLimits {
  /** Takes a token from the bucket that this collector has for an address. */
  takeForAddress(address: string): RateLimitHeaders;
  takeForService(service: string): RateLimitHeaders;
  /**
   * Takes the tokens that this collector has taken from the buckets that all collectors share. Asked once a request, for its
   * address and its services. Returns the headers of each bucket; none if this collector decides alone.
   *
   * @param address - undefined if its token is taken already.
   */
  takeShared(address: string | undefined, services: readonly string[]): MaybePromise<RateLimitHeaders[]>;
}

/** Maximum buckets of a limit. The least recently used is evicted, so that a sender of many names cannot fill the memory. */
const MAX_BUCKETS = 10_000;

/**
 * Creates a token bucket for each address and each service. A bucket holds the requests of one minute and refills evenly.
 * Fixed windows would allow twice the limit at their border.
 *
 * With shared buckets, those of this collector refuse a sender without asking for it again, and go on alone while nobody answers:
 * they have at most what the shared ones had last.
 */
export function createRateLimits({ perIpRpm, perServiceRpm, shared }: RateLimitOptions): RateLimits {
  const ofAddress = createLimit("per_ip_rpm", perIpRpm, (address) => `the address ${address}`);
  const ofService = createLimit(
    "per_service_rpm",
    perServiceRpm,
    (service) => `the service ${JSON.stringify(truncateCodePoints(service, 100))}`,
  );

  function settle(buckets: readonly SharedBucket[], levels: readonly BucketLevel[]): RateLimitHeaders[] {
    return levels.map((level, index) => {
      const { kind, name } = buckets[index] as SharedBucket;
      return (kind === "address" ? ofAddress : ofService).settle(name, level);
    });
  }

  return {
    takeForAddress: (address) => ofAddress.take(clientNetwork(address)),
    takeForService: (service) => ofService.take(serviceKey(service)),
    takeShared(address, services) {
      if (shared === undefined) return [];
      const ofServices = services.map((service): SharedBucket => {
        return { kind: "service", name: serviceKey(service), perMinute: perServiceRpm };
      });
      const buckets: SharedBucket[] =
        address === undefined
          ? ofServices
          : [{ kind: "address", name: clientNetwork(address), perMinute: perIpRpm }, ...ofServices];
      return whenResolved(shared.take(buckets), (levels = []) => settle(buckets, levels));
    },
  };
}

/** The same length as everywhere else. */
function serviceKey(service: string): string {
  return truncateCodePoints(service, MAX_CONTEXT_LENGTH);
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

  /** The headers for what is left in a bucket; throws if it gave no token. */
  function outcome(key: string, { tokens, isTaken }: BucketLevel): RateLimitHeaders {
    const headers = {
      "RateLimit-Limit": String(rpm),
      "RateLimit-Remaining": String(Math.floor(tokens)),
      "RateLimit-Reset": String(Math.ceil(((rpm - tokens) / rpm) * 60)),
      "RateLimit-Policy": `${rpm};w=60`,
    };
    if (isTaken) return headers;
    const retryAfter = Math.max(1, Math.ceil(((1 - tokens) / rpm) * 60));
    throw new ApiError(
      "rate_limited",
      `More than ${rpm} requests per minute from ${nameOf(key)} (rate_limit.${option}). Try again in ${retryAfter} s.`,
      { limit: rpm, retry_after_seconds: retryAfter },
      { ...headers, "Retry-After": String(retryAfter) },
    );
  }

  return {
    take(key: string): RateLimitHeaders {
      const bucket = bucketOf(key);
      const isTaken = bucket.tryRemoveTokens(1);
      return outcome(key, { tokens: bucket.content, isTaken });
    },
    /** Applies what a shared bucket says. Its own one then has no more than that. */
    settle(key: string, level: BucketLevel): RateLimitHeaders {
      const bucket = bucketOf(key);
      bucket.content = Math.min(bucket.content, level.tokens);
      return outcome(key, level);
    },
  };
}
