import type { IncomingMessage } from "node:http";
import type { ApiError } from "../api-schema/errors.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";

/** Response of an ingest route. */
export interface IngestResponse {
  readonly status: number;
  /** Response headers, including Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A route that receives spans. It bypasses Fastify (docs/decisions/0002). */
export interface IngestRoute {
  /** Handles a request and returns its response, or throws an `ApiError`. */
  readonly handle: (request: IncomingMessage) => MaybePromise<IngestResponse>;
  /** Formats an error, if not as contract 2 does. */
  readonly formatError?: (error: ApiError, request: IncomingMessage) => MaybePromise<IngestResponse>;
}

/** Creates a route whose code is loaded with its first request, which keeps the start fast. */
export function lazyRoute(load: () => Promise<Required<IngestRoute>>): IngestRoute {
  let loading: Promise<Required<IngestRoute>> | undefined;
  let loaded: Required<IngestRoute> | undefined;
  const route = (): MaybePromise<Required<IngestRoute>> =>
    loaded ?? (loading ??= load().then((route) => (loaded = route)));
  return {
    handle: (request) => whenResolved(route(), ({ handle }) => handle(request)),
    formatError: (error, request) => whenResolved(route(), ({ formatError }) => formatError(error, request)),
  };
}
