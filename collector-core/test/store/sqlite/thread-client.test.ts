import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../src/api-schema/errors.js";
import { StorageStartError, ThreadClient } from "../../../src/store/sqlite/thread-client.js";
import { recordingLogger, type LoggedLine } from "../../running-collector.js";
import { aSpan, FakeClock, pipelineSpans } from "../span-batches.js";
import { scriptedThreads, type ScriptedThread } from "./scripted-thread.js";

const KEY = { tenant: "", traceId: "trace" };

describe("the client of the storage thread", () => {
  let clock: FakeClock;
  let lines: LoggedLine[];
  let threads: ScriptedThread[];
  let client: ThreadClient;

  const thread = (index = 0): ScriptedThread => {
    const found = threads[index];
    if (found === undefined) throw new Error(`No thread ${index}.`);
    return found;
  };
  const create = (options: { maxUnappliedBytes?: number; stopTimeoutMs?: number } = {}): void => {
    const scripted = scriptedThreads();
    threads = scripted.threads;
    client = new ThreadClient({
      startThread: scripted.start,
      clock,
      logger: recordingLogger(lines),
      ...options,
    });
  };
  const started = async (options?: Parameters<typeof create>[0]): Promise<void> => {
    create(options);
    const starting = client.start();
    thread().ready();
    await starting;
  };
  const append = (count: number): Promise<void> =>
    client.append(pipelineSpans(Array.from({ length: count }, () => aSpan())));
  /** Time goes on for timers and for the clock. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  const unsaved = (): number => client.usage.total.unsaved.thread_died;

  beforeEach(() => {
    vi.useFakeTimers();
    clock = new FakeClock();
    lines = [];
  });
  afterEach(() => void vi.useRealTimers());

  it("starts when the file is open, and says why it could not be opened", async () => {
    await started();
    create();
    const starting = client.start();
    const refused = { message: "Another process uses /traces.", reason: "in_use" };
    thread().say({ type: "refused", error: refused });
    thread().die();
    const error: unknown = await starting.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StorageStartError);
    expect(error).toMatchObject(refused);
    await pass(120_000);
    expect(threads).toHaveLength(1);
  });

  it("does not start if the thread ends before the file is open", async () => {
    create();
    const starting = client.start();
    thread().die("Error: no such module");
    await expect(starting).rejects.toThrow("no such module");
  });

  it("sends all spans before a question", async () => {
    await started();
    await append(2);
    const asked = client.ask("tenantsOf", ["trace"]);
    expect(thread().received.map(({ type }) => type)).toEqual(["append", "ask"]);
    thread().say({ type: "answer", id: 1, result: ["a"] });
    expect(await asked).toEqual(["a"]);
  });

  it("passes on an ApiError as it was thrown", async () => {
    await started();
    const asked = client.ask("list", [{ cursor: "x" }]);
    thread().say({
      type: "failure",
      id: 1,
      error: {
        type: "api",
        code: "invalid_query",
        message: "No.",
        details: { field: "cursor" },
        headers: { A: "b" },
      },
    });
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: "invalid_query",
      message: "No.",
      details: { field: "cursor" },
      headers: { A: "b" },
      status: 400,
    });
    expect(lines).toEqual([]);
  });

  it("logs an unexpected error once, and answers only that there was one", async () => {
    await started();
    const asked = client.ask("clear", []);
    thread().say({ type: "failure", id: 1, error: { type: "unexpected", description: "Error: secret" } });
    await expect(asked).rejects.toMatchObject({ code: "internal_error", status: 500, details: {} });
    await expect(asked).rejects.not.toThrow("secret");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: "ERROR", context: { error: "Error: secret" } });
  });

  it("does not ask where the signal is aborted already", async () => {
    await started();
    const reason = new Error("left");
    await expect(client.ask("clear", [], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(thread().received).toEqual([]);
  });

  it("rejects at once when the signal is aborted, tells the thread, and drops the late answer", async () => {
    await started();
    const controller = new AbortController();
    const reason = new Error("left");
    const asked = client.ask("getSpan", [KEY, "a"], { signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect(thread().ofType("abort")).toEqual([{ type: "abort", id: 1 }]);
    thread().say({ type: "answer", id: 1, result: { bytes: new ArrayBuffer(8), spans: [], contexts: [] } });
    thread().say({ type: "failure", id: 1, error: { type: "aborted" } });
    expect(lines).toEqual([]);
  });

  it("closes what was opened after its reader had left", async () => {
    await started();
    const controller = new AbortController();
    const { signal } = controller;
    const asked = [
      client.ask("openTrace", [KEY], { signal }),
      client.ask("openSelect", [{}], { signal }),
      client.ask("openTrace", [KEY], { signal }),
    ];
    controller.abort();
    await Promise.allSettled(asked);
    thread().say({ type: "answer", id: 1, result: { reading: 7, summary: {} } });
    thread().say({ type: "answer", id: 2, result: 8 });
    thread().say({ type: "answer", id: 3, result: undefined });
    const closed = thread().ofType("ask").slice(3);
    expect(closed.map(({ command, args }) => [command, args])).toEqual([
      ["closeTrace", [7]],
      ["closeSelect", [8]],
    ]);
  });

  it("waits while too much is on its way to the thread, in order", async () => {
    await started({ maxUnappliedBytes: 1000 });
    await append(10);
    client.ask("flush", []).catch(() => undefined);
    const done: number[] = [];
    const waiting = [1, 2].map((n) => append(10).then(() => void done.push(n)));
    await pass(100);
    expect(done).toEqual([]);
    expect(client.sentBytes).toBeGreaterThan(1000);
    thread().apply();
    await pass(100);
    thread().apply();
    await pass(100);
    thread().apply();
    await Promise.all(waiting);
    expect(done).toEqual([1, 2]);
    expect(client.sentBytes).toBe(0);
  });

  it("counts the spans of an append that the engine refused", async () => {
    await started();
    await append(3);
    await pass(20);
    const [message] = thread().ofType("append");
    thread().say({
      type: "applied",
      bytes: message?.bytes ?? new ArrayBuffer(0),
      hasFailed: true,
      pendingSpans: 0,
    });
    expect(client.usage.total.unsaved).toMatchObject({ io_error: 3, thread_died: 0 });
  });

  describe("when the thread dies", () => {
    it("fails open questions, counts what was in flight, and starts it again", async () => {
      await started();
      thread().say({
        type: "usage",
        usage: { ...client.usage.total, evicted: { ...client.usage.total.evicted, ttl: 4 } },
      });
      await append(5);
      await pass(20);
      thread().apply(1, 5);
      await append(2);
      await pass(20);
      await append(1);
      const controller = new AbortController();
      const asked = client.ask("clear", [], { signal: controller.signal });
      const failed = expect(asked).rejects.toMatchObject({
        code: "trace_store_unavailable",
        status: 503,
        headers: { "Retry-After": "5" },
      });
      await append(1);
      thread().die("out of memory");
      await failed;
      // 5 applied and not committed, 2 + 1 sent and not applied; the last one goes to the next thread.
      expect(unsaved()).toBe(8);
      expect(threads).toHaveLength(2);
      expect(client.failure).toBeUndefined();
      expect(lines).toMatchObject([{ level: "ERROR", context: { lost_spans: 8 } }]);
      await pass(20);
      expect(thread(1).ofType("append")).toHaveLength(1);
      thread(1).ready({ evicted: { ...client.usage.total.evicted, ttl: 2 } });
      expect(client.usage.total.evicted.ttl).toBe(2 + 4);
      expect(unsaved()).toBe(8);
    });

    it("is degraded after a second death within a minute: spans are counted, questions fail", async () => {
      await started({ maxUnappliedBytes: 10 });
      thread().die();
      thread(1).ready();
      await append(2);
      await pass(20);
      const waits = append(3);
      thread(1).die("again");
      await waits;
      expect(client.failure).toContain("again");
      expect(unsaved()).toBe(5);
      await append(4);
      expect(unsaved()).toBe(9);
      await expect(client.ask("clear", [])).rejects.toMatchObject({ code: "trace_store_unavailable" });
      await expect(client.flush()).rejects.toMatchObject({ code: "trace_store_unavailable" });
      expect(threads).toHaveLength(2);
      await pass(60_000);
      expect(threads).toHaveLength(3);
      thread(2).ready();
      expect(client.failure).toBeUndefined();
      await append(1);
      await pass(20);
      expect(thread(2).ofType("append")).toHaveLength(1);
    });

    it("tries again each minute while the file cannot be opened", async () => {
      await started();
      thread().die();
      thread(1).say({ type: "refused", error: { message: "Another process.", reason: "in_use" } });
      thread(1).die();
      expect(client.failure).toContain("Another process.");
      await pass(60_000);
      expect(threads).toHaveLength(3);
      thread(2).ready();
      expect(client.failure).toBeUndefined();
    });

    it("refuses numbers of the dead thread, and ignores its messages", async () => {
      await started();
      const { generation } = client;
      thread().die();
      thread(1).ready({ traces: 1 });
      await expect(client.ask("closeTrace", [1], { generation })).rejects.toMatchObject({ status: 503 });
      expect(thread(1).received).toEqual([]);
      thread().ready({ traces: 99 });
      thread().die();
      expect(client.usage.total.traces).toBe(1);
      expect(threads).toHaveLength(2);
    });
  });

  describe("stop", () => {
    it("sends all, also what waits for room, and ends the thread when it has saved", async () => {
      await started({ maxUnappliedBytes: 10 });
      await append(1);
      await pass(20);
      const waits = append(1);
      const stopping = client.stop();
      expect(client.stop()).toBe(stopping);
      await pass(1);
      expect(thread().ofType("stop")).toEqual([]);
      thread().apply(1);
      await waits;
      await pass(20);
      thread().apply();
      await pass(20);
      expect(thread().received.map(({ type }) => type)).toEqual(["append", "append", "stop"]);
      thread().say({ type: "stopped", usage: { ...client.usage.total, spans: 2 } });
      await stopping;
      expect(thread().isTerminated).toBe(true);
      expect(unsaved()).toBe(0);
      expect(client.usage.total.spans).toBe(2);
      thread().die();
      expect(threads).toHaveLength(1);
    });

    it("gives up after a deadline, and counts what was not saved", async () => {
      await started({ stopTimeoutMs: 500 });
      await append(3);
      const asked = client.ask("clear", []);
      const failed = expect(asked).rejects.toMatchObject({ status: 503 });
      const stopping = client.stop();
      await pass(500);
      await stopping;
      await failed;
      expect(unsaved()).toBe(3);
      expect(thread().isTerminated).toBe(true);
      expect(lines).toMatchObject([{ level: "ERROR", context: { lost_spans: 3 } }]);
    });

    it("waits for a slow disk until the deadline of the stop, and loses nothing", async () => {
      await started();
      await append(3);
      const stopping = client.stop(clock.monotonic() + 30_000);
      await pass(29_000);
      thread().apply();
      await pass(20);
      expect(thread().isTerminated).toBe(false);
      thread().say({ type: "stopped", usage: { ...client.usage.total, spans: 3 } });
      await stopping;
      expect(unsaved()).toBe(0);
      expect(client.usage.total.spans).toBe(3);
    });

    it("still gives the thread a moment when the deadline has passed", async () => {
      await started();
      await append(3);
      const stopping = client.stop(clock.monotonic() - 1000);
      await pass(300);
      thread().apply();
      thread().say({ type: "stopped", usage: { ...client.usage.total, spans: 3 } });
      await stopping;
      expect(unsaved()).toBe(0);
    });

    it("may be called before start, and while the store is degraded", async () => {
      create();
      await client.stop();
      await started();
      thread().die();
      thread(1).die();
      await client.stop();
      await pass(120_000);
      expect(threads).toHaveLength(2);
    });
  });
});
