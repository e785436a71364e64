import { once } from "node:events";
import { createServer } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock, type Clock } from "../../../src/runtime/clock.js";
import { openDatabase, RefusedRowsError, type Database } from "../../../src/store/clickhouse/database.js";
import { SpanWriter } from "../../../src/store/clickhouse/span-writer.js";
import type { WrittenSums } from "../../../src/store/clickhouse/trace-sums.js";
import { freePort } from "../../free-port.js";
import { databaseOf } from "../local-database.js";
import { aSpan, FakeClock, pipelineSpans } from "../span-batches.js";

const TRIES = 12;
const NOTHING_REFUSED: WrittenSums = { keys: [], refused: { traces: 0, spans: 0, code: "" } };

interface Given {
  readonly clock?: Clock;
  readonly insert: Database["insert"];
  readonly sums?: () => Promise<WrittenSums>;
}

/** A writer of what a test does in place of ClickHouse. */
function aWriter({ insert, sums = async () => NOTHING_REFUSED, clock = systemClock }: Given) {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const writer = new SpanWriter({
    database: { insert } as Database,
    sums: { write: sums },
    clock,
    log: { info: log, warning: log, error: log },
    onWritten: () => undefined,
  });
  return { writer, lines };
}

/** Work that goes on when it is told to. */
function aGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

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
    sums: { write: async () => NOTHING_REFUSED },
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

it("repeats the sums only if these failed, and counts once what ClickHouse cannot read", async () => {
  useFakeTimers();
  const inserted: number[] = [];
  let tries = 0;
  const { writer, lines } = aWriter({
    async insert(_table, rows) {
      if ((rows as { span_id: string }[]).some(({ span_id }) => span_id === "bad"))
        throw new RefusedRowsError("117", new Error("It quotes the row."));
      inserted.push(rows.length);
    },
    async sums() {
      if (++tries < 3) throw new Error("no memory");
      return NOTHING_REFUSED;
    },
  });
  await writer.append(pipelineSpans(["a", "bad", "b"].map((span_id) => aSpan({ span_id }))), {});
  const flushed = writer.flush();
  await vi.advanceTimersByTimeAsync(1000);
  await flushed;
  expect(tries).toBe(3);
  expect(inserted.reduce((sum, rows) => sum + rows)).toBe(2);
  expect(writer.refused).toBe(1);
  expect(lines.filter((line) => line.startsWith("1 spans are not kept"))).toHaveLength(1);
  expect(lines.join("\n")).not.toContain("It quotes the row.");
});

it("asks for sums that always take too long ever more rarely, and says that it fails", async () => {
  useFakeTimers();
  const clock = new FakeClock();
  let tries = 0;
  const { writer, lines } = aWriter({
    clock,
    insert: async () => undefined,
    async sums() {
      tries++;
      clock.advance(10_000);
      throw new Error("ClickHouse has not answered within 10 seconds.");
    },
  });
  await writer.append(pipelineSpans([aSpan()]), {});
  const flushed = writer.flush();
  const triesAfter: number[] = [];
  // Of the time without the tries themselves: waits of 10, 20, 30, 40, 50, then 60 seconds.
  for (let minute = 0; minute < 5; minute++) {
    await vi.advanceTimersByTimeAsync(60_000);
    triesAfter.push(tries);
  }
  expect(triesAfter).toEqual([4, 5, 6, 7, 8]);
  expect(writer.failure).toContain("within 10 seconds");
  expect(lines).toHaveLength(1);
  const stopped = writer.stop(clock.monotonic());
  await expect(Promise.all([flushed, vi.advanceTimersByTimeAsync(1)])).rejects.toThrow("The collector stops");
  expect(await stopped).toBe(1);
});

it("counts the spans of traces that ClickHouse cannot read, and goes on", async () => {
  const { writer, lines } = aWriter({
    insert: async () => undefined,
    sums: async () => ({ keys: [], refused: { traces: 1, spans: 2, code: "131" } }),
  });
  await writer.append(pipelineSpans([aSpan()]), {});
  await writer.flush();
  expect(writer.refused).toBe(2);
  expect(writer.failure).toBeNull();
  expect(lines).toEqual([expect.stringMatching(/^1 traces are not shown as they are now.*\(code 131\)/)]);
});

it("writes in time what was appended after its timer had ended during a write", async () => {
  useFakeTimers();
  const gates = [aGate(), aGate(), aGate()];
  let inserts = 0;
  const { writer } = aWriter({ insert: () => gates[inserts++]?.opened ?? Promise.resolve() });
  await writer.append(pipelineSpans([aSpan()]), {});
  const first = writer.flush();
  await writer.append(pipelineSpans([aSpan()]), {});
  gates[0]?.open();
  await first;
  // The second write is under way when the timer of its spans ends.
  await vi.advanceTimersByTimeAsync(1000);
  gates[1]?.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(inserts).toBe(2);
  await writer.append(pipelineSpans([aSpan()]), {});
  await vi.advanceTimersByTimeAsync(1000);
  expect(inserts).toBe(3);
});

it("writes once a second, with what is appended during a write, whoever waits for it", async () => {
  useFakeTimers();
  const gate = aGate();
  const inserted: number[] = [];
  const { writer } = aWriter({
    async insert(_table, rows) {
      inserted.push(rows.length);
      if (inserted.length === 1) await gate.opened;
    },
  });
  await writer.append(pipelineSpans([aSpan()]), {});
  const written = [writer.written()];
  await vi.advanceTimersByTimeAsync(999);
  expect(inserted).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  for (const span_id of ["a", "b"]) {
    await writer.append(pipelineSpans([aSpan({ span_id })]), {});
    written.push(writer.written());
  }
  gate.open();
  await written[0];
  await vi.advanceTimersByTimeAsync(999);
  expect(inserted).toEqual([1]);
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all(written);
  expect(inserted).toEqual([1, 2]);
  await writer.written();
});

it("logs a failure once, and another one too", async () => {
  useFakeTimers();
  const failures = ["timeout after 10.1 s", "timeout after 10.2 s", "wrong password", "wrong password"];
  const { writer, lines } = aWriter({
    async insert() {
      const failure = failures.shift();
      if (failure !== undefined) throw new Error(failure);
    },
  });
  await writer.append(pipelineSpans([aSpan()]), {});
  const flushed = writer.flush();
  await vi.advanceTimersByTimeAsync(60_000);
  await flushed;
  expect(lines).toEqual([
    expect.stringContaining("timeout after 10.1 s"),
    expect.stringContaining("wrong password"),
    "ClickHouse takes spans again.",
  ]);
});

it("ends an insert that ClickHouse does not answer when it stops", async () => {
  const server = createServer();
  const database = await databaseOf(server);
  const asked = once(server, "request");
  const failures: unknown[] = [];
  const { writer, lines } = aWriter({
    insert: (...given) =>
      database.insert(...given).catch((error: unknown) => {
        failures.push(error);
        throw error;
      }),
  });
  await writer.append(pipelineSpans([aSpan()]), {});
  const flushed = expect(writer.flush()).rejects.toThrow("The collector stops");
  await asked;
  expect(await writer.stop(systemClock.monotonic())).toBe(1);
  await flushed;
  expect(failures).toEqual([expect.objectContaining({ message: "The user aborted a request." })]);
  expect(lines).toEqual([]);
});
