/**
 * The disk store without a collector, in a process of its own: what the storage thread does runs on the main thread here, so that
 * its processor time can be read. Receives `{ task, ...arguments }` and replies with the result.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryTraceStore } from "../../collector-core/dist/store/memory/memory-trace-store.js";
import { createStorageEngine } from "../../collector-core/dist/store/sqlite/engine/create-storage-engine.js";
import { Outbox } from "../../collector-core/dist/store/sqlite/outbox.js";
import { createSqliteTraceStore } from "../../collector-core/dist/store/sqlite/sqlite-trace-store.js";
import { workerThread } from "../../collector-core/dist/store/sqlite/worker-thread.js";
import { SPANS_PER_TRACE, TraceMaker } from "./disk-batches.mjs";
import { median } from "./statistics.mjs";

const SPANS_PER_STEP = 20_000;
const signal = new AbortController().signal;
const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const logger = Object.fromEntries(["debug", "info", "warning", "error"].map((level) => [level, () => {}]));
let engine;
let maker;

const TASKS = { handOver, write, open, ask, retention, remove, close };

process.on("message", async ({ task, ...args }) => {
  try {
    process.send?.(await TASKS[task](args));
  } catch (error) {
    process.send?.({ error: String(error instanceof Error ? error.stack : error) });
  }
});

function engineOptions(directory, diskMaxBytes = 1e12) {
  return {
    directory,
    maxTraces: Number.POSITIVE_INFINITY,
    maxSpansPerTrace: 10_000,
    ttlSeconds: 0,
    diskMaxBytes,
    maxBufferBytes: 2 ** 28,
    commitIntervalMs: 200,
    minFreeBytes: 0,
  };
}

/** Processor time of the main thread for each span that is appended to either store, round by round. */
async function handOver({ rounds }) {
  const directory = mkdtempSync(join(tmpdir(), "obspan-bench-"));
  const stores = {
    memory: createMemoryTraceStore({
      maxTraces: 10_000,
      maxSpansPerTrace: 10_000,
      ttlSeconds: 0,
      maxBytes: 2 ** 30,
      clock,
    }),
    disk: createSqliteTraceStore({ startThread: workerThread(engineOptions(directory)), clock, logger }),
  };
  const samples = { memory: [], disk: [] };
  const traces = new TraceMaker(1e6);
  let number = 0;
  await stores.memory.start?.();
  await stores.disk.start();
  // The memory store is full after five rounds; the first five are not counted.
  for (let round = 0; round < rounds + 5; round++) {
    const names = round % 2 === 0 ? ["memory", "disk"] : ["disk", "memory"];
    for (const name of names) {
      const batches = [];
      for (let count = 0; count < SPANS_PER_STEP / SPANS_PER_TRACE; count++)
        batches.push(traces.make(number++).spans);
      const before = mainThreadMicros();
      for (const batch of batches) await stores[name].append(batch);
      const micros = mainThreadMicros() - before;
      if (round >= 5) samples[name].push(micros / SPANS_PER_STEP);
      await stores[name].flush?.();
    }
  }
  await stores.memory.stop?.();
  await stores.disk.stop();
  rmSync(directory, { recursive: true, force: true });
  return { memoryMicros: median(samples.memory), diskMicros: median(samples.disk) };
}

function mainThreadMicros() {
  // Makes the system add what the thread has used since its last tick.
  process.cpuUsage();
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[0]) / 1000;
}

/** Writes traces. @returns processor time of what the storage thread does, and the sizes. */
async function write({ directory, spans }) {
  engine = createStorageEngine(engineOptions(directory), { log() {} });
  const traces = spans / SPANS_PER_TRACE;
  maker = new TraceMaker(traces);
  let receivedBytes = 0;
  let cpuMicros = 0;
  let elapsedMs = 0;
  for (let first = 0; first < traces; first += SPANS_PER_STEP / SPANS_PER_TRACE) {
    const records = recordsOf(first, Math.min(traces, first + SPANS_PER_STEP / SPANS_PER_TRACE), (bytes) => {
      receivedBytes += bytes;
    });
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    for (const record of records) {
      engine.append(record);
      engine.tick();
    }
    elapsedMs += performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpu);
    cpuMicros += user + system;
  }
  await engine.commands.flush(signal);
  const { pages, pageBytes } = await engine.commands.info(signal);
  return {
    cpuMicrosPerSpan: cpuMicros / spans,
    spansPerSecond: (spans / elapsedMs) * 1000,
    spansPerCpuSecond: (spans / cpuMicros) * 1e6,
    fileOverReceived: (pages * pageBytes) / receivedBytes,
  };
}

function recordsOf(first, end, onBytes) {
  const records = [];
  const outbox = new Outbox({
    send: ({ bytes, length }) => records.push(Buffer.from(bytes, 0, length)),
    maxUnappliedBytes: Number.POSITIVE_INFINITY,
  });
  for (let number = first; number < end; number++) {
    const { body, spans } = maker.make(number);
    onBytes(body.length);
    void outbox.append(spans, false);
  }
  outbox.flush();
  return records;
}

/** Opens the file. @returns the time to the first page. */
async function open({ directory, spans }) {
  const startedAt = performance.now();
  engine = createStorageEngine(engineOptions(directory), { log() {} });
  const openedAt = performance.now();
  await engine.commands.list({ limit: 50 }, signal);
  const endedAt = performance.now();
  maker = new TraceMaker(spans / SPANS_PER_TRACE);
  return { openMs: openedAt - startedAt, firstPageMs: endedAt - startedAt, traces: engine.usage().traces };
}

/** Asks the questions in order, the next one when the last one is answered. @returns the time and processor time of each. */
async function ask({ questions }) {
  const samples = [];
  for (const [command, query] of questions) {
    samples.push(await timed(() => engine.commands[command](query, signal)));
  }
  return samples;
}

/** Removes traces for good, one by one. */
async function remove({ count }) {
  const samples = [];
  for (let index = 0; index < count; index++) {
    const key = { tenant: "", traceId: maker.make(1000 + index * 7).spans[0].facts.traceId };
    let isRemoved = false;
    const removed = await longestStep(async () => {
      isRemoved = await engine.commands.remove(key);
    });
    const committed = await timed(() => engine.commands.flush(signal));
    samples.push(removed, committed);
    if (!isRemoved) throw new Error(`Trace ${key.traceId} was not found.`);
  }
  return samples;
}

/** Opens the file with a lower limit while spans arrive. @returns the times of the steps. */
async function retention({ directory, share }) {
  const fileBytes = () => statSync(join(directory, "traces.db")).size;
  const bytes = fileBytes();
  await close();
  engine = createStorageEngine(engineOptions(directory, Math.floor(bytes * share)), { log() {} });
  const before = engine.usage().traces;
  const samples = [];
  const endsAt = performance.now() + 120_000;
  while (fileBytes() > bytes * share && performance.now() < endsAt) {
    samples.push(await timed(() => engine.tick()));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { samples, evicted: before - engine.usage().traces };
}

/** @returns the longest of the steps between which other work of the thread goes on. */
async function longestStep(action) {
  let isDone = false;
  const longest = { ms: 0, cpuMs: 0 };
  const done = action().finally(() => (isDone = true));
  while (!isDone) {
    const step = await timed(() => new Promise((resolve) => setImmediate(resolve)));
    if (step.cpuMs > longest.cpuMs) longest.cpuMs = step.cpuMs;
    if (step.ms > longest.ms) longest.ms = step.ms;
  }
  await done;
  return longest;
}

/** @returns time and processor time, of which the latter does not depend on who else is on the machine. */
async function timed(action) {
  // Of this thread: V8 compiles SQLite on others, which delays nothing here.
  const cpuMicros = mainThreadMicros();
  const startedAt = performance.now();
  await action();
  const ms = performance.now() - startedAt;
  return { ms, cpuMs: (mainThreadMicros() - cpuMicros) / 1000 };
}

async function close() {
  await engine?.close();
  engine = undefined;
  return {};
}
