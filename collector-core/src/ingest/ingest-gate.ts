import type { IncomingMessage } from "node:http";
import { JSON_HEADERS } from "./json-headers.js";
import type { ReadClientAddress } from "./client-address.js";
import type { RateLimits } from "./rate-limits.js";

/** Response headers. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * Checks that every ingest request passes, in the order of contract 2: the rate limit of its address, its API key and,
 * after its body is parsed, the rate limit of its service.
 */
export interface IngestGate {
  /** @throws `ApiError` rate_limited, unauthorized. @returns the response headers. */
  enter(request: IncomingMessage): ResponseHeaders;
  /** @throws `ApiError` rate_limited. @returns the headers, with the limit that has fewer requests remaining. */
  enterService(service: unknown, headers: ResponseHeaders): ResponseHeaders;
}

/** Options of {@link createIngestGate}. */
export interface IngestGateOptions {
  /** Undefined if `rate_limit.enabled` is false. */
  readonly rateLimits: RateLimits | undefined;
  readonly addressOf: ReadClientAddress;
  readonly authorize: (request: IncomingMessage) => void;
}

export function createIngestGate({ rateLimits, addressOf, authorize }: IngestGateOptions): IngestGate {
  return {
    enter(request) {
      const limits = rateLimits?.takeForAddress(addressOf(request));
      authorize(request);
      return limits === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...limits };
    },
    enterService(service, headers) {
      if (rateLimits === undefined) return headers;
      const name = typeof service === "string" && service !== "" ? service : "unknown";
      const limits = rateLimits.takeForService(name);
      return remaining(limits) < remaining(headers) ? { ...headers, ...limits } : headers;
    },
  };
}

function remaining(headers: ResponseHeaders): number {
  return Number(headers["RateLimit-Remaining"]);
}
