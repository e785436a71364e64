import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
/** The modules that `workerThread` starts, in each form of the collector. */
const ENTRIES = [
  "collector-core/dist/store/sqlite/storage-thread.js",
  "collector-core/bundle/storage-thread.js",
  "desktop/dist/main/storage-thread.js",
];

interface Message {
  readonly type: string;
  readonly [field: string]: unknown;
}

describe.each(ENTRIES)("the storage thread %s", (entry) => {
  let directory: string;
  const workers: Worker[] = [];

  const start = (isRestart = false): Worker => {
    const options = {
      directory,
      maxTraces: 1000,
      maxSpansPerTrace: 500,
      ttlSeconds: 0,
      diskMaxBytes: 2 ** 30,
      minFreeBytes: 0,
      commitIntervalMs: 200,
    };
    const worker = new Worker(join(ROOT, entry), { workerData: { options, isRestart } });
    workers.push(worker);
    return worker;
  };
  /** The next message of that type. */
  const message = (worker: Worker, type: string): Promise<Message> =>
    new Promise((resolve, reject) => {
      const onMessage = (received: Message): void => {
        if (received.type !== type) return;
        worker.off("message", onMessage);
        resolve(received);
      };
      worker.on("message", onMessage);
      worker.once("error", reject);
    });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "obspan-thread-"));
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.terminate();
    rmSync(directory, { recursive: true, force: true });
  });

  it("opens its file, answers and ends when it is told to", async () => {
    const worker = start();
    await message(worker, "ready");
    worker.postMessage({ type: "ask", id: 1, command: "list", args: [{}] });
    expect(await message(worker, "answer")).toMatchObject({
      id: 1,
      result: { traces: [], nextCursor: null },
    });
    const exited = once(worker, "exit");
    worker.postMessage({ type: "stop" });
    await message(worker, "stopped");
    expect(await exited).toEqual([0]);
    expect(existsSync(join(directory, "traces.db"))).toBe(true);
  });

  it("takes over the file of a thread of this process that was killed", async () => {
    const killed = start();
    await message(killed, "ready");
    await killed.terminate();
    await message(start(true), "ready");
  });
});
