import type { IncomingMessage } from "node:http";
import { JSON_HEADERS } from "./json-headers.js";
import type { ReadClientAddress } from "./client-address.js";
import type { RateLimits } from "./rate-limits.js";

/** Headers of an answer. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/**
 * What every request that brings spans passes, in the order of contract 2: the limit of its address, its key and, when
 * its body is known, the limit of its service.
 */
export interface IngestGate {
  /** @throws `ApiError` rate_limited, unauthorized. @returns headers of the answer so far. */
  enter(request: IncomingMessage): AnswerHeaders;
  /** @throws `ApiError` rate_limited. @returns `headers`, or others where the service has less left than the address. */
  enterService(service: unknown, headers: AnswerHeaders): AnswerHeaders;
}

/** What {@link createIngestGate} asks. */
export interface IngestGateOptions {
  /** Undefined where `rate_limit.enabled` is false. */
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
      return left(limits) < left(headers) ? { ...headers, ...limits } : headers;
    },
  };
}

function left(headers: AnswerHeaders): number {
  return Number(headers["RateLimit-Remaining"]);
}
