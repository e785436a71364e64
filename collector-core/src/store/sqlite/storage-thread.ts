/** The storage thread: the entry that `workerThread` starts. */
import { parentPort, workerData } from "node:worker_threads";
import { createStorageEngine, type StorageEngineOptions } from "./engine/create-storage-engine.js";
import { serveEngine } from "./thread/command-server.js";
import type { ThreadData } from "./worker-thread.js";

if (parentPort === null) throw new Error("The storage thread runs only as a worker.");

const { options, isRestart } = workerData as ThreadData<StorageEngineOptions>;
await serveEngine({
  port: parentPort,
  createEngine: (host) => createStorageEngine({ ...options, isOwnThreadDead: isRestart }, host),
});
