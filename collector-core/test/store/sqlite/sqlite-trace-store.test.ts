import type { Span } from "@obspan/sdk/wire";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../../src/api-schema/errors.js";
import type { StoredTrace, TraceStore } from "../../../src/interfaces.js";
import { readSmall } from "../../../src/span/stored-span.js";
import {
  createSqliteTraceStore,
  type SqliteTraceStoreOptions,
} from "../../../src/store/sqlite/sqlite-trace-store.js";
import type { EngineHost } from "../../../src/store/sqlite/thread/storage-engine.js";
import { recordingLogger, type LoggedLine } from "../../running-collector.js";
import { aSpan, FakeClock, pipelineSpans } from "../span-batches.js";
import { FakeEngine } from "./fake-engine.js";
import { inlineThread } from "./inline-thread.js";

const KEY = { tenant: "", traceId: "trace" };

/** Resolves when the messages between the threads have arrived. */
async function settle(isSettled: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !isSettled(); turn++) await new Promise(setImmediate);
  expect(isSettled()).toBe(true);
}

describe("the trace store in a thread", () => {
  let engine: FakeEngine;
  let host: EngineHost;
  let lines: LoggedLine[];
  let store: TraceStore;
  let charged: number;
  let mostCharged: number;

  const open = async (options: Partial<SqliteTraceStoreOptions> = {}): Promise<void> => {
    store = createSqliteTraceStore({
      startThread: inlineThread((given) => {
        host = given;
        return engine;
      }),
      clock: new FakeClock(),
      logger: recordingLogger(lines),
      pagesInUse: {
        take: (bytes) => void (mostCharged = Math.max(mostCharged, (charged += bytes))),
        release: (bytes) => void (charged -= bytes),
      },
      ...options,
    });
    await store.start();
  };
  const append = (spans: readonly Span[]): Promise<void> => store.append(pipelineSpans(spans));
  const get = async (signal?: AbortSignal): Promise<StoredTrace> => {
    const trace = await store.get(KEY, signal);
    if (trace === undefined) throw new Error("There is no trace.");
    return trace;
  };

  beforeEach(async () => {
    engine = new FakeEngine();
    lines = [];
    charged = 0;
    mostCharged = 0;
    await open();
  });
  afterEach(() => store.stop());

  it("answers a question with all that was appended before", async () => {
    await append([aSpan(), aSpan()]);
    const [summary, missing] = await store.summaries([KEY, { tenant: "", traceId: "other" }]);
    expect(summary).toMatchObject({ trace_id: "trace", span_count: 2 });
    expect(missing).toBeUndefined();
    expect(await store.tenantsOf("trace")).toEqual([""]);
  });

  it("reads a trace page by page, in both orders, more than once, and charges a page at a time", async () => {
    const names = ["a", "b", "c", "d", "e"];
    await append(names.map((name) => aSpan({ name })));
    const trace = await get();
    for (let round = 0; round < 2; round++) {
      const received: string[] = [];
      for await (const page of trace.received) {
        expect(page.length).toBeLessThanOrEqual(2);
        expect(charged).toBeGreaterThan(0);
        received.push(...page.map((span) => readSmall(span).name));
      }
      expect(received).toEqual(names);
    }
    const spans: string[] = [];
    for await (const page of trace.spans) spans.push(...page.map((span) => readSmall(span).name));
    expect(spans).toEqual(names.toReversed());
    expect(charged).toBe(0);
    expect(mostCharged).toBeLessThan(700);
    trace.release();
    trace.release();
    await settle(() => engine.openReadings.size === 0);
    await expect(trace.spans[Symbol.asyncIterator]().next()).rejects.toThrow("released");
  });

  it("gives back the page of a reader that stops early", async () => {
    await append([aSpan(), aSpan(), aSpan()]);
    const trace = await get();
    for await (const page of trace.spans) if (page.length > 0) break;
    expect(charged).toBe(0);
    trace.release();
  });

  it("ends a reading when its signal is aborted", async () => {
    await append([aSpan(), aSpan(), aSpan()]);
    const controller = new AbortController();
    const trace = await get(controller.signal);
    const pages = trace.spans[Symbol.asyncIterator]();
    await pages.next();
    controller.abort(new Error("left"));
    await expect(pages.next()).rejects.toThrow("left");
    expect(charged).toBe(0);
    trace.release();
  });

  it("has one span, charged until it is released", async () => {
    await append([aSpan({ span_id: "a", attributes: { model: "m", agent: "" } }), aSpan()]);
    const span = await store.getSpan(KEY, "a");
    if (span === undefined) throw new Error("There is no span.");
    expect(readSmall(span).span_id).toBe("a");
    expect(charged).toBeGreaterThan(0);
    span.release();
    span.release();
    expect(charged).toBe(0);
    expect(await store.getSpan(KEY, "b")).toBeUndefined();
    expect(charged).toBe(0);
  });

  it("selects keys in pages, and closes the selection also when the reader stops early", async () => {
    await append(["1", "2", "3", "4", "5"].map((id) => aSpan({ trace_id: id })));
    const keys: string[] = [];
    for await (const page of store.select({})) keys.push(...page.map(({ traceId }) => traceId));
    expect(keys).toEqual(["1", "2", "3", "4", "5"]);
    for await (const page of store.select({})) if (page.length > 0) break;
    await settle(() => engine.openSelects.size === 0);
  });

  it("bounds what is open: the next reader waits for a release, or until its signal is aborted", async () => {
    await store.stop();
    engine = new FakeEngine();
    await open({ maxReadings: 1, maxSelects: 1 });
    await append([aSpan()]);
    const first = await get();
    const second = get();
    const controller = new AbortController();
    const third = get(controller.signal);
    controller.abort(new Error("left"));
    await expect(third).rejects.toThrow("left");
    expect(engine.openReadings.size).toBe(1);
    first.release();
    const trace = await second;
    await settle(() => engine.openReadings.size === 1);
    trace.release();
    expect(await store.get({ tenant: "", traceId: "other" })).toBeUndefined();
    (await get()).release();
  });

  it("goes on with appends while a long command runs", async () => {
    let finish: () => void = () => undefined;
    engine.commands.list = () =>
      new Promise((resolve) => {
        finish = () => resolve({ traces: [], nextCursor: null });
      });
    const listed = store.list({});
    await append([aSpan()]);
    expect(await store.tenantsOf("trace")).toEqual([""]);
    finish();
    expect(await listed).toEqual({ traces: [], nextCursor: null });
  });

  it("aborts a command in the thread when the client leaves", async () => {
    let signalInThread: AbortSignal | undefined;
    engine.commands.facets = (_filter, signal) =>
      new Promise((_resolve, reject) => {
        signalInThread = signal;
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const controller = new AbortController();
    const asked = store.facets({}, controller.signal);
    await settle(() => signalInThread !== undefined);
    controller.abort(new Error("left"));
    await expect(asked).rejects.toThrow("left");
    await settle(() => signalInThread?.aborted === true);
    await store.tenantsOf("trace");
    expect(lines).toEqual([]);
  });

  it("passes on errors: ApiError whole, others as one logged 500", async () => {
    engine.commands.list = async () => {
      throw new ApiError("invalid_query", "The cursor is from another store.", { field: "cursor" });
    };
    engine.commands.histogram = async () => {
      throw new TypeError("private");
    };
    const error: unknown = await store.list({}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: "invalid_query", details: { field: "cursor" } });
    await expect(store.histogram({})).rejects.toMatchObject({ code: "internal_error" });
    expect(lines).toMatchObject([{ level: "ERROR" }]);
    expect(String(lines[0]?.context["error"])).toContain("TypeError: private");
  });

  it("passes on log lines of the engine, whatever their context holds", async () => {
    host.log("warning", "A chunk is bad.", { chunk: 7, error: new Error("checksum"), call: () => 1 });
    await settle(() => lines.length === 1);
    expect(lines).toMatchObject([{ level: "WARNING", message: "A chunk is bad.", context: { chunk: 7 } }]);
    expect(String(lines[0]?.context["error"])).toContain("checksum");
  });

  it("says what is pending, and after a flush that nothing is", async () => {
    await append([aSpan()]);
    expect(store.usage().pendingBytes).toBeGreaterThan(0);
    await store.flush();
    expect(store.usage()).toMatchObject({ spans: 1, traces: 1, pendingBytes: 0, state: "ok", reason: null });
    expect(engine.commits).toBe(1);
  });

  it("counts spans that the engine refuses, and goes on", async () => {
    engine.onAppend = () => {
      throw new Error("disk");
    };
    await append([aSpan(), aSpan()]);
    await store.tenantsOf("trace");
    engine.onAppend = () => undefined;
    await append([aSpan()]);
    await store.flush();
    expect(store.usage()).toMatchObject({ spans: 1, unsaved: { io_error: 2 } });
    expect(lines).toMatchObject([{ level: "ERROR" }]);
  });

  it("saves and closes on stop; then spans are counted and questions fail", async () => {
    await append([aSpan()]);
    await store.stop();
    expect(engine.isClosed).toBe(true);
    expect(engine.commits).toBe(1);
    expect(store.usage()).toMatchObject({ spans: 1, unsaved: { thread_died: 0 } });
    await append([aSpan()]);
    expect(store.usage().unsaved.thread_died).toBe(1);
    await expect(store.get(KEY)).rejects.toMatchObject({ code: "trace_store_unavailable" });
  });

  it("refuses to start where the engine cannot be opened, with the reason", async () => {
    const failing = createSqliteTraceStore({
      startThread: inlineThread(() => {
        throw Object.assign(new Error("/traces is in use."), { reason: "in_use" });
      }),
      clock: new FakeClock(),
      logger: recordingLogger(lines),
    });
    await expect(failing.start()).rejects.toMatchObject({ message: "/traces is in use.", reason: "in_use" });
    await failing.stop();
  });
});
