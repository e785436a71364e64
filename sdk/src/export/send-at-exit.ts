import { Worker } from "node:worker_threads";
import { newSpanId } from "../span/ids.js";
import { warn } from "../warnings.js";
import { batchJson, headersOf, ingestionUrl, MAX_BATCH_BYTES } from "./batch-request.js";
import type { SentBatch } from "./delivery-loop.js";
import type { ExitOptions } from "./exit-options.js";
import { proxyOf, type Proxy } from "./proxy.js";
import { toWireSpan } from "./queued-span.js";
import { basicAuthorization } from "./transport.js";

/** How long the end of a process may be delayed, in milliseconds. */
const MAX_WAIT_MS = 1000;

/**
 * Sends the buffered spans when the process ends at once: on `process.exit()`, an uncaught error or an unhandled rejection.
 * No asynchronous code runs there, so a worker thread sends while this thread waits for it. A batch that was being sent is
 * sent once more under its id, and the collector counts it once.
 */
export function sendAtExit({ config, environment, buffer, ledger, loop }: ExitOptions): void {
  const { pushUrl, shutdownTimeout } = config;
  const pending = buffer.size + ledger.inFlight;
  if (pending === 0 || pushUrl === undefined) return;
  const batchInFlight = ledger.inFlight > 0 ? loop()?.lastBatch : undefined;
  ledger.take(buffer.size);
  let acked = 0;
  try {
    const batches: SentBatch[] = batchInFlight === undefined ? [] : [batchInFlight];
    while (buffer.size > 0) {
      const spans = buffer.take(config.batchSize, MAX_BATCH_BYTES).map(toWireSpan);
      batches.push({ json: batchJson(config, newSpanId() + newSpanId(), spans), spanCount: spans.length });
    }
    const waitMs = Math.min(shutdownTimeout * 1000, MAX_WAIT_MS);
    const url = ingestionUrl(pushUrl);
    const ackedBatches = postAndWait(url, proxyOf(url, environment), headersOf(config), batches, waitMs);
    for (const { spanCount } of batches.slice(0, ackedBatches)) acked += spanCount;
  } catch {
    // Threads or blocking waits are not available here: the spans are lost, and counted.
  }
  const lost = pending - acked;
  ledger.settle(acked);
  ledger.settle(lost, "shutdown");
  if (lost > 0) {
    const spans = lost === 1 ? "1 span was" : `${lost} spans were`;
    warn(`${spans} dropped: the process ended too soon. \`await shutdown()\` sends what waits.`);
  }
}

/** Indexes in the shared memory: 1 once the thread is done, and the number of acknowledged batches. */
const DONE = 0;
const ACKED = 1;

/** CommonJS source text: a bundled app would not contain a separate file. */
const THREAD = `
  const { workerData: { url, headers, bodies, shared, proxy } } = require("node:worker_threads");
  const target = new URL(url);
  const clientOf = ({ protocol }) => require(protocol === "https:" ? "node:https" : "node:http");
  const done = () => { Atomics.store(shared, ${DONE}, 1); Atomics.notify(shared, ${DONE}); };
  const open = (options, use) => {
    if (proxy === undefined) return use(clientOf(target).request(target, options));
    const server = new URL(proxy.url);
    const credentials = proxy.authorization === undefined ? {} : { "Proxy-Authorization": proxy.authorization };
    if (target.protocol === "http:") {
      const headers = { ...options.headers, ...credentials, Host: target.host };
      return use(clientOf(server).request(server, { ...options, headers, path: target.origin + target.pathname + target.search }));
    }
    const host = target.hostname + ":" + (target.port || 443);
    clientOf(server).request(server, { method: "CONNECT", path: host, headers: { Host: host, ...credentials } })
      .on("error", done).on("connect", ({ statusCode }, socket) => {
        if (statusCode < 200 || statusCode > 299) return done();
        use(clientOf(target).request(target, { ...options, createConnection: () =>
          require("node:tls").connect({ socket, servername: target.hostname }) }));
      }).end();
  };
  const post = (index) => {
    if (index === bodies.length) return done();
    const body = Buffer.from(bodies[index]);
    open({ method: "POST", headers: { ...headers, "Content-Length": body.length } }, (sent) => {
      sent.on("error", done).on("response", (response) => {
        response.resume();
        if (response.statusCode < 200 || response.statusCode > 299) return done();
        Atomics.add(shared, ${ACKED}, 1);
        post(index + 1);
      });
      sent.end(body);
    });
  };
  post(0);
`;

/** @returns how many batches, counted from the first, were acknowledged in time. */
function postAndWait(
  url: URL,
  proxy: Proxy | undefined,
  headers: Readonly<Record<string, string>>,
  batches: readonly SentBatch[],
  waitMs: number,
): number {
  const authorization = basicAuthorization(url);
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const thread = new Worker(THREAD, {
    eval: true,
    workerData: {
      url: url.href,
      proxy: proxy && { url: proxy.url.href, authorization: proxy.authorization },
      headers: {
        "Content-Type": "application/json",
        ...(authorization !== undefined && { Authorization: authorization }),
        ...headers,
      },
      bodies: batches.map(({ json }) => json),
      shared,
    },
    // Keeps out the hooks and instrumentation that the app loads into every thread, also by NODE_OPTIONS.
    execArgv: [],
    env: {},
  });
  Atomics.wait(shared, DONE, 0, waitMs);
  void thread.terminate();
  return Atomics.load(shared, ACKED);
}
