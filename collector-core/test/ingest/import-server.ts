import { once } from "node:events";
import { createServer, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import { createImportRoute, type ImportRouteOptions } from "../../src/ingest/import-route.js";
import { createExemptRequests } from "../../src/ingest/exempt-requests.js";
import type { Clock } from "../../src/runtime/clock.js";

/** Goes on as fake timers do. */
const fakeTime: Clock = { now: () => Date.now(), monotonic: () => Date.now() };
/** What a test of imports has to fake: the timers of the route, and the clock beside them. */
export const FAKED = {
  toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
} as const;
/** How long the rest of a body may take whose request has been answered. */
export const REST_MS = 50;

export const line = (traceId: string, name = "run"): string =>
  `${JSON.stringify({
    resourceSpans: [
      { scopeSpans: [{ spans: [{ traceId: traceId.padStart(32, "0"), spanId: "b".repeat(16), name }] }] },
    ],
  })}\n`;

/**
 * The route behind a server. Timers must be fake.
 *
 * @param requestTimeout - of the server, in real time.
 */
export async function serveImports(options: Partial<ImportRouteOptions> = {}, requestTimeout = 0) {
  const exemptRequests = createExemptRequests(REST_MS);
  const aborted: string[] = [];
  const pieces: number[] = [];
  const route = createImportRoute({
    importSpans: async (_context, spans) => {
      pieces.push(spans.length);
      return { imported: spans.length, evictedTraces: 0 };
    },
    gate: { enter: () => ({}), enterService: (_service, headers) => headers },
    readTenant: () => "",
    clock: fakeTime,
    maxBodyBytes: 1_000_000,
    count: () => undefined,
    isStopping: () => false,
    exemptRequests,
    onAborted: (kept) => void aborted.push(kept),
    lineBudget: { require: () => undefined, giveBack: () => undefined },
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
    /** Spans of each call that kept some. */
    pieces,
    requests: () => requests,
    failures: () => failures,
    /** Requests that took longer than the server allows. */
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

/** The answer to a request. */
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

/** Lets the event loop turn until it is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
