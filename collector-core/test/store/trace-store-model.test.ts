import { afterEach, describe, it, vi } from "vitest";
import { createMemoryTraceStore } from "../../src/store/memory/memory-trace-store.js";
import { checkAgainstModel, type ModelledStore, type Sizes } from "./trace-store-model.js";
import { openDurableStore } from "./sqlite/durable-store.js";
import type { FakeClock } from "./span-batches.js";
import { randomRuns } from "../random-runs.js";

const SIZES: readonly (readonly [string, Sizes])[] = [
  ["short traces", { traceCount: 21, spanIds: 10, maxBatch: 12, maxTraces: 12, maxSpansPerTrace: 6 }],
  ["long traces", { traceCount: 3, spanIds: 120, maxBatch: 60, maxTraces: 12, maxSpansPerTrace: 50 }],
];
const TTL_SECONDS = 100;

function openMemoryStore({ maxTraces, maxSpansPerTrace }: Sizes, clock: FakeClock): Promise<ModelledStore> {
  const store = createMemoryTraceStore({
    maxTraces,
    maxSpansPerTrace,
    ttlSeconds: TTL_SECONDS,
    maxBytes: 2 ** 24,
    clock,
    segmentBytes: 8192,
    loopUtilization: () => 0,
  });
  return Promise.resolve({
    store,
    // What the store does by itself meanwhile changes no answer.
    passTime: (ms) => vi.advanceTimersByTime(Math.min(ms, 1000)),
    close: async () => store.stop(),
  });
}

async function openStoreOnDisk(
  { maxTraces, maxSpansPerTrace }: Sizes,
  clock: FakeClock,
): Promise<ModelledStore> {
  let isTrimming = false;
  const durable = await openDurableStore({
    maxTraces,
    maxSpansPerTrace,
    ttlSeconds: TTL_SECONDS,
    clock,
    usualBufferBytes: () => (isTrimming ? 0 : 2 ** 24),
  });
  return {
    get store() {
      return durable.store;
    },
    passTime: () => durable.engine.tick(),
    async reopen() {
      await durable.reopen();
    },
    async trim() {
      isTrimming = true;
      await durable.store.flush();
      isTrimming = false;
    },
    close: () => durable.close(),
  };
}

describe("a trace store beside a naive one", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(SIZES)(
    "spec 4.9 rule 2: in memory it has the same %s after any sequence of steps",
    async (_, sizes) => {
      await checkAgainstModel(sizes, {
        open: async (clock) => {
          vi.useFakeTimers();
          return openMemoryStore(sizes, clock);
        },
        ttlSeconds: TTL_SECONDS,
        numRuns: randomRuns(15),
      });
    },
    120_000,
  );

  it.each(SIZES)(
    "spec 4.9 rule 2: on disk it has the same %s after any sequence of steps",
    async (_, sizes) => {
      await checkAgainstModel(sizes, {
        open: (clock) => openStoreOnDisk(sizes, clock),
        ttlSeconds: TTL_SECONDS,
        numRuns: randomRuns(3),
      });
    },
    120_000,
  );
});
