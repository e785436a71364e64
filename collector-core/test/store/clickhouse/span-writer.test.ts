import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../../src/runtime/clock.js";
import { openDatabase } from "../../../src/store/clickhouse/database.js";
import { SpanWriter } from "../../../src/store/clickhouse/span-writer.js";
import { freePort } from "../../free-port.js";
import { aSpan, pipelineSpans } from "../span-batches.js";

const TRIES = 12;

it("leaves no listener for each try while ClickHouse is away", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const database = openDatabase({ url, user: "default", password: "", database: "obspan" });
  onTestFinished(() => database.close());
  let failures = 0;
  const writer = new SpanWriter({
    database: {
      ...database,
      insert: (...rows) => database.insert(...rows).finally(() => failures++),
    },
    sums: { write: async () => [] },
    clock: systemClock,
    log: { info: () => undefined, warning: () => undefined, error: () => undefined },
    onWritten: () => undefined,
  });
  const added = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const removed = vi.spyOn(AbortSignal.prototype, "removeEventListener");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  onTestFinished(() => void vi.restoreAllMocks());

  await writer.append(pipelineSpans([aSpan()]), {});
  const flushed = writer.flush();
  while (failures < TRIES) {
    await vi.advanceTimersByTimeAsync(5000);
    // A refused connection takes real time.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const isRemoved = new Set<unknown>(removed.mock.calls.map(([, listener]) => listener));
  const left = added.mock.contexts.filter((_, call) => !isRemoved.has(added.mock.calls[call]?.[1]));
  // Each request has a signal of its own, and all tries share one.
  expect(left.filter((signal, at) => left.indexOf(signal) < at)).toEqual([]);
  expect(added.mock.contexts.length).toBeGreaterThan(new Set(added.mock.contexts).size);
  const stopped = writer.stop(systemClock.monotonic());
  await expect(Promise.all([flushed, vi.advanceTimersByTimeAsync(1)])).rejects.toThrow("The collector stops");
  expect(await stopped).toBe(1);
});
