import type { IncomingMessage } from "node:http";
import type { ApiError } from "../contract/errors.js";

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
  readonly handle: (request: IncomingMessage) => Promise<IngestAnswer>;
  /** The answer to an error, where it is not the one of contract 2. */
  readonly answerError?: (error: ApiError, request: IncomingMessage) => IngestAnswer | Promise<IngestAnswer>;
}

/** A route whose code is loaded with the first request that it gets: what few need must not hold up every start. */
export function loadedWhenAsked(load: () => Promise<Required<IngestRoute>>): IngestRoute {
  let route: Promise<Required<IngestRoute>> | undefined;
  return {
    handle: async (request) => (await (route ??= load())).handle(request),
    answerError: async (error, request) => (await (route ??= load())).answerError(error, request),
  };
}
