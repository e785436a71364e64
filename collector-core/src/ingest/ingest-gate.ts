import type { IncomingMessage } from "node:http";
import { JSON_HEADERS } from "./json-headers.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";
import type { ReadClientAddress } from "./client-address.js";
import type { RateLimitHeaders, RateLimits } from "./rate-limits.js";

/** Response headers. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** A request that has passed the checks so far. */
export interface EnteredRequest {
  /** The response headers. */
  readonly headers: ResponseHeaders;
  /** The address whose token is to be taken from the limits that collectors share; undefined once it is. */
  readonly address: string | undefined;
}

/**
 * Checks that every ingest request passes, in the order of contract 2: the rate limit of its address, its API key and,
 * after its body is parsed, the rate limits of its services. Limits that collectors share are asked for with the services.
 */
export interface IngestGate {
  /** @throws `ApiError` rate_limited, unauthorized. */
  enter(request: IncomingMessage): EnteredRequest;
  /**
   * @returns the request with the headers of the limit that has the fewest requests remaining.
   * @throws `ApiError` rate_limited, or rejects with it.
   */
  enterServices(services: readonly unknown[], request: EnteredRequest): MaybePromise<EnteredRequest>;
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
      const address = addressOf(request);
      const limits = rateLimits?.takeForAddress(address);
      authorize(request);
      return { headers: limits === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...limits }, address };
    },
    enterServices(services, request) {
      if (rateLimits === undefined) return request;
      const names = services.map(nameOf);
      const headers = names.reduce<ResponseHeaders>(
        (nearest, name) => nearer(nearest, rateLimits.takeForService(name)),
        request.headers,
      );
      return whenResolved(rateLimits.takeShared(request.address, names), (shared) => ({
        headers: shared.reduce(nearer, headers),
        address: undefined,
      }));
    },
  };
}

function nameOf(service: unknown): string {
  return typeof service === "string" && service !== "" ? service : "unknown";
}

/** The headers with those of a limit, if it has fewer requests remaining. */
function nearer(headers: ResponseHeaders, limit: RateLimitHeaders): ResponseHeaders {
  return remaining(limit) < remaining(headers) ? { ...headers, ...limit } : headers;
}

function remaining(headers: ResponseHeaders): number {
  return Number(headers["RateLimit-Remaining"]);
}
