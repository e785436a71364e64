import { Worker } from "node:worker_threads";
import { newSpanId } from "../capture/ids.js";
import { warn } from "../capture/warnings.js";
import type { Config } from "../config/options.js";
import { batchJson, headersOf, ingestionUrl, MAX_BATCH_BYTES } from "./batch-request.js";
import type { Ledger } from "./ledger.js";
import type { SpanBuffer } from "./span-buffer.js";
import { handOver } from "./span-json.js";

/** A process that was told to end, or that has crashed, should not be held up for long. */
const MAX_WAIT_MS = 1000;

interface Batch {
  readonly json: string;
  readonly spanCount: number;
}

/**
 * Sends what waits when the process ends at once: `process.exit()`, an error that nobody caught, a rejection that nobody
 * handled. Nothing asynchronous runs there any more, so a thread of its own sends while this one waits for it. A batch that
 * was under way goes once more under its id, and the collector counts it once.
 */
export function sendLastWords(config: Config, buffer: SpanBuffer, ledger: Ledger): void {
  const { pushUrl, shutdownTimeout } = config;
  const pending = buffer.size + ledger.inFlight;
  if (pending === 0 || pushUrl === undefined) return;
  let acked = 0;
  try {
    const batches: Batch[] = ledger.inFlight > 0 && ledger.underWay !== undefined ? [ledger.underWay] : [];
    while (buffer.size > 0) {
      const spans = buffer.take(config.batchSize, MAX_BATCH_BYTES).map(handOver);
      batches.push({ json: batchJson(config, newSpanId() + newSpanId(), spans), spanCount: spans.length });
    }
    const waitMs = Math.min(shutdownTimeout * 1000, MAX_WAIT_MS);
    const ackedBatches = postAndWait(ingestionUrl(pushUrl), headersOf(config), batches, waitMs);
    for (const { spanCount } of batches.slice(0, ackedBatches)) acked += spanCount;
  } catch {
    // No threads here, or no waiting: they are lost, and counted.
  }
  const lost = pending - acked;
  ledger.taken += pending - ledger.inFlight;
  ledger.inFlight = 0;
  ledger.acked += acked;
  ledger.dropped.shutdown += lost;
  if (lost > 0) {
    const spans = lost === 1 ? "1 span was" : `${lost} spans were`;
    warn(`${spans} dropped: the process ended too soon. \`await shutdown()\` sends what waits.`);
  }
}

/** In the shared memory: 1 when the thread has done what it can, and the batches that were acknowledged. */
const DONE = 0;
const ACKED = 1;

/** CommonJS, run as text: a file of its own would be missing from an app that a bundler has packed. */
const THREAD = `
  const { workerData: { url, headers, bodies, shared } } = require("node:worker_threads");
  const { request } = require(url.startsWith("https:") ? "node:https" : "node:http");
  const post = (index) => {
    const done = () => { Atomics.store(shared, ${DONE}, 1); Atomics.notify(shared, ${DONE}); };
    if (index === bodies.length) return done();
    const body = Buffer.from(bodies[index]);
    const sent = request(new URL(url), { method: "POST", headers: { ...headers, "Content-Length": body.length } });
    sent.on("error", done).on("response", (answer) => {
      answer.resume();
      if (answer.statusCode < 200 || answer.statusCode > 299) return done();
      Atomics.add(shared, ${ACKED}, 1);
      post(index + 1);
    });
    sent.end(body);
  };
  post(0);
`;

/** @returns how many of the batches, from the first, were acknowledged in time. */
function postAndWait(
  url: URL,
  headers: Readonly<Record<string, string>>,
  batches: readonly Batch[],
  waitMs: number,
): number {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const thread = new Worker(THREAD, {
    eval: true,
    workerData: {
      url: url.href,
      headers: { "Content-Type": "application/json", ...headers },
      bodies: batches.map(({ json }) => json),
      shared,
    },
    // Nothing of what the app has loaded into every thread, NODE_OPTIONS included: hooks, instrumentation.
    execArgv: [],
    env: {},
  });
  Atomics.wait(shared, DONE, 0, waitMs);
  void thread.terminate();
  return Atomics.load(shared, ACKED);
}
