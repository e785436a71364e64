import { once } from "node:events";
import { createServer, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import {
  createImportRoute,
  type ImportRouteOptions,
  type SpanImport,
} from "../../src/ingest/import-route.js";
import { createExemptRequests } from "../../src/ingest/exempt-requests.js";
import type { Clock } from "../../src/runtime/clock.js";

/** Follows the fake timers. */
const fakeTime: Clock = { now: () => Date.now(), monotonic: () => Date.now() };
/** Timers and clock that import tests fake. */
export const FAKED = {
  toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
} as const;
/** Time for the rest of a body after its response. */
export const REST_MS = 50;

export const line = (traceId: string, name = "run"): string =>
  `${JSON.stringify({
    resourceSpans: [
      { scopeSpans: [{ spans: [{ traceId: traceId.padStart(32, "0"), spanId: "b".repeat(16), name }] }] },
    ],
  })}\n`;

/** Begins imports that store spans by a function and evict nothing. */
export function importInto(store: SpanImport["store"]): () => SpanImport {
  return () => ({ store, end: async () => ({ evictedTraces: 0, unsavedSpans: 0, reason: null }) });
}

/**
 * Serves the import route. Timers must be fake.
 *
 * @param requestTimeout - request timeout of the server, in real time.
 */
export async function serveImports(options: Partial<ImportRouteOptions> = {}, requestTimeout = 0) {
  const exemptRequests = createExemptRequests(REST_MS);
  const aborted: string[] = [];
  const pieces: number[] = [];
  const route = createImportRoute({
    beginImport: importInto(async (_context, spans) => {
      pieces.push(spans.length);
      return spans.length;
    }),
    gate: {
      enter: () => ({ headers: {}, address: undefined }),
      enterServices: (_services, request) => request,
    },
    readTenant: () => "",
    clock: fakeTime,
    maxBodyBytes: 1_000_000,
    count: () => undefined,
    isStopping: () => false,
    exemptRequests,
    onAborted: (kept) => void aborted.push(kept),
    lineBudget: { require: () => undefined, release: () => undefined },
    pace: { windowMs: 5000, minBytes: 20 },
    ...options,
  });
  let requests = 0;
  let failures = 0;
  let timeouts = 0;
  const server = createServer(
    { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 20 },
    (request, response) => {
      requests++;
      Promise.resolve(route.handle(request)).then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        (error: unknown) => {
          failures++;
          const known = error instanceof ApiError ? error : new ApiError("internal_error", String(error));
          request.resume();
          response.writeHead(known.status, known.headers).end(JSON.stringify(known.toBody()));
        },
      );
    },
  );
  server.on("clientError", (error, socket) => {
    timeouts++;
    if (!exemptRequests.isExempt(error, socket as never)) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    aborted,
    /** Number of spans of each group that was stored. */
    pieces,
    requests: () => requests,
    failures: () => failures,
    /** Number of client errors, which includes request timeouts. */
    timeouts: () => timeouts,
    open(headers: Record<string, string> = {}): ClientRequest {
      const sent = httpRequest({
        host: "127.0.0.1",
        port,
        method: "POST",
        headers: { "Content-Type": "application/jsonl", ...headers },
      });
      sent.on("error", () => undefined);
      onTestFinished(() => void sent.destroy());
      return sent;
    },
  };
}

/** Response of an import. */
export interface ImportAnswer {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

export async function answerOf(sent: ClientRequest): Promise<ImportAnswer> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  const { statusCode: status, headers } = response;
  return { status, retryAfter: headers["retry-after"], body: JSON.parse(text) as unknown };
}

/** Runs turns of the event loop until the condition is true. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
