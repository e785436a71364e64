import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { createCollector, createLogger, loadConfig, type Collector } from "@obspan/collector-core";
import { expect, it, onTestFinished } from "vitest";
import { batchOf, clientForTest, telemetry } from "../harness/http-client.js";
import { until } from "../harness/until.js";

/** A collector in this process that keeps traces, with the storage threads that it starts. */
async function collectorWithThreads() {
  const directory = mkdtempSync(join(tmpdir(), "obspan-thread-"));
  const threads: Worker[] = [];
  const remember = (worker: Worker): void => void threads.push(worker);
  process.on("worker", remember);
  const loaded = loadConfig({
    env: {
      OBS_SERVER_PORT: "0",
      OBS_SERVER_HOST: "127.0.0.1",
      OBS_SERVER_TRACE_STORE_PATH: directory,
      OBS_SERVER_TRACE_STORE_DISK_MIN_FREE_BYTES: "0",
    },
  });
  if (loaded.type === "refused") throw new Error(loaded.problems.join("\n"));
  const collector = await createCollector({
    loaded: loaded.loaded,
    logger: createLogger({ level: "CRITICAL", structured: false }),
    version: "0.1.0",
  });
  await collector.start();
  onTestFinished(async () => {
    await collector.stop();
    process.off("worker", remember);
    rmSync(directory, { recursive: true, force: true });
  });
  return { collector, threads, client: clientForTest(collector.url, 4) };
}

async function sample({ url }: Collector, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.split(" ")[1] ?? 0);
}

const lostSpans = (collector: Collector): Promise<number> =>
  sample(collector, 'obs_trace_store_unsaved_spans_total{reason="thread_died"}');

async function isSaved(collector: Collector): Promise<true | undefined> {
  const { queued, inFlight } = collector.ledger();
  if (queued + inFlight > 0) return undefined;
  return (await sample(collector, "obs_trace_store_pending_bytes")) === 0 || undefined;
}

it("a storage thread that dies is started again, its questions are answered 503, and every span is counted", async () => {
  const { collector, threads, client } = await collectorWithThreads();
  const { url } = collector;
  const send = async (traceId: string): Promise<void> => {
    expect((await client.send(telemetry(batchOf(10, traceId))).answer).status).toBe(202);
  };
  const list = async (): Promise<number> => (await fetch(`${url}/v1/traces?q=nothing`)).status;
  for (let n = 0; n < 10; n++) await send(`saved-${n}`);
  await until("all is saved", () => isSaved(collector));

  for (let n = 0; n < 5; n++) await send(`late-${n}`);
  const questions = [list(), list(), list()];
  await threads[0]?.terminate();
  for (const status of await Promise.all(questions)) expect([200, 503]).toContain(status);
  await until("the store answers again", async () => (await list()) === 200 || undefined);
  expect(threads).toHaveLength(2);
  await until("all is saved", () => isSaved(collector));
  expect((await sample(collector, "obs_trace_store_spans")) + (await lostSpans(collector))).toBe(150);
  expect((await fetch(`${url}/v1/traces/saved-9`)).status).toBe(200);

  // Again within a minute: spans are accepted and counted, and questions are refused.
  const before = await lostSpans(collector);
  await threads[1]?.terminate();
  await until("the store is away", async () => (await list()) === 503 || undefined);
  await send("while-away");
  await until("the spans are counted", async () => (await lostSpans(collector)) === before + 10 || undefined);
});
