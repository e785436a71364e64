import type { IncomingMessage } from "node:http";
import type { ApiError } from "../api-schema/errors.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";

/** What a route answers. */
export interface IngestAnswer {
  readonly status: number;
  /** Content-Type among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A route that spans come in by, answered without Fastify (docs/decisions/0002). */
export interface IngestRoute {
  /** Takes one request and returns its answer, or throws the `ApiError` that is its answer. */
  readonly handle: (request: IncomingMessage) => MaybePromise<IngestAnswer>;
  /** The answer to an error, where it is not the one of contract 2. */
  readonly answerError?: (error: ApiError, request: IncomingMessage) => MaybePromise<IngestAnswer>;
}

/** A route whose code is loaded with the first request that it gets: what few need must not hold up every start. */
export function lazyRoute(load: () => Promise<Required<IngestRoute>>): IngestRoute {
  let loading: Promise<Required<IngestRoute>> | undefined;
  let loaded: Required<IngestRoute> | undefined;
  const route = (): MaybePromise<Required<IngestRoute>> =>
    loaded ?? (loading ??= load().then((route) => (loaded = route)));
  return {
    handle: (request) => whenResolved(route(), ({ handle }) => handle(request)),
    answerError: (error, request) => whenResolved(route(), ({ answerError }) => answerError(error, request)),
  };
}
