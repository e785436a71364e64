/**
 * Preloaded into a collector as `slow-disk.mjs?file=<path>`. While that file exists, each write of SQLite in the storage thread
 * takes as many milliseconds longer as the file says.
 */
import fs, { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = new URL(import.meta.url).searchParams.get("file");
const CHECK_EVERY_MS = 100;
let delayMs = 0;
let checkedAtMs = Number.NEGATIVE_INFINITY;

function delay() {
  const nowMs = performance.now();
  if (nowMs - checkedAtMs > CHECK_EVERY_MS) {
    checkedAtMs = nowMs;
    delayMs = readDelay();
  }
  if (delayMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
}

function readDelay() {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

function delayed(target, name) {
  const original = target[name];
  target[name] = function (...args) {
    delay();
    return Reflect.apply(original, this, args);
  };
}

if (!isMainThread) {
  // Each driver writes through one of them.
  delayed(fs, "writeSync");
  const { StatementSync } = process.getBuiltinModule?.("node:sqlite") ?? {};
  if (StatementSync !== undefined) delayed(StatementSync.prototype, "run");
}
