import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Span } from "@obspan/sdk/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TraceQuery } from "../../../src/api-schema/trace.js";
import type { TraceStore } from "../../../src/interfaces.js";
import {
  createMemoryTraceStore,
  type MemoryTraceStoreOptions,
} from "../../../src/store/memory/memory-trace-store.js";
import { spansOf } from "../read-trace.js";
import { anEvaluation, aSpan, FakeClock, pipelineSpans } from "../span-batches.js";
import { describeTraceStore } from "../contract/describe-trace-store.js";

describeTraceStore("the memory trace store", async (options) => ({
  store: createMemoryTraceStore(options),
  clock: options.clock,
}));
describeTraceStore("the memory trace store in small segments", async (options) => ({
  store: createMemoryTraceStore({ ...options, segmentBytes: 4096 }),
  clock: options.clock,
}));

describe("the memory that the memory trace store takes", () => {
  let clock = new FakeClock();
  const open = (options: Partial<MemoryTraceStoreOptions> = {}): TraceStore => {
    clock = new FakeClock();
    return createMemoryTraceStore({
      maxTraces: 500_000,
      maxSpansPerTrace: 500,
      ttlSeconds: 0,
      maxBytes: 2 ** 30,
      clock,
      ...options,
    });
  };
  const append = (store: TraceStore, traceId: string, textLength: number): Promise<unknown> =>
    store.append(
      pipelineSpans([aSpan({ trace_id: traceId, attributes: { prompt_text: "x".repeat(textLength) } })]),
    );
  const idsOf = async (store: TraceStore, query: TraceQuery = {}): Promise<string[]> =>
    (await store.list({ limit: 1000, ...query })).traces.map((trace) => trace.trace_id);

  afterEach(() => {
    vi.useRealTimers();
  });

  it("spec 4.9 rule 2: stays within max_bytes, the oldest traces going first", async () => {
    const maxBytes = 2 ** 21;
    const store = open({ maxBytes });
    for (let n = 0; n < 3000; n++) {
      await append(store, `t${n}`, (n * 7919) % (n % 50 === 0 ? 200_000 : 4000));
      expect(store.usage().memoryBytes).toBeLessThanOrEqual(maxBytes);
    }
    const ids = await idsOf(store);
    expect(ids.length).toBeGreaterThan(100);
    expect(ids).toEqual(ids.map((_, index) => `t${2999 - index}`));
    expect(store.usage().evicted).toMatchObject({ max_bytes: 3000 - ids.length, max_traces: 0 });
    expect((await store.get({ tenant: "", traceId: "t0" }))?.summary).toBeUndefined();
  });

  it("charges what a reader holds of evicted traces until it has ended, however they left", async () => {
    const inUse = {
      bytes: 0,
      take: (bytes: number) => void (inUse.bytes += bytes),
      release: (bytes: number) => void (inUse.bytes -= bytes),
    };
    const store = open({ maxBytes: 2 ** 21, evictedInUse: inUse });
    await append(store, "read", 300_000);
    await append(store, "cleared", 1000);
    const key = { tenant: "", traceId: "read" };
    const [reader, another] = [await store.get(key), await store.get(key)];
    expect(inUse.bytes).toBe(0);
    for (let n = 0; n < 20; n++) await append(store, `t${n}`, 300_000);
    expect(store.usage().evicted.max_bytes).toBeGreaterThan(10);
    expect(inUse.bytes).toBeGreaterThan(300_000);
    expect((await spansOf(reader)).map(({ attributes }) => attributes["prompt_text"])).toEqual([
      "x".repeat(300_000),
    ]);
    reader?.release();
    reader?.release();
    expect(inUse.bytes).toBeGreaterThan(300_000);
    another?.release();
    expect(inUse.bytes).toBe(0);

    const last = await store.get({ tenant: "", traceId: "t19" });
    await store.clear();
    expect(inUse.bytes).toBeGreaterThan(300_000);
    last?.release();
    expect(inUse.bytes).toBe(0);
  });

  it("refuses the readers of a long trace whose lists do not fit, until another one has ended", async () => {
    const inUse = {
      bytes: 0,
      require: (bytes: number) => {
        if (inUse.bytes + bytes > 1_000_000) throw new Error("no room");
        inUse.bytes += bytes;
      },
      release: (bytes: number) => void (inUse.bytes -= bytes),
    };
    const store = open({ maxSpansPerTrace: 10_000, listsInUse: inUse });
    await store.append(pipelineSpans(Array.from({ length: 2000 }, () => aSpan({ trace_id: "long" }))));
    await append(store, "short", 10);
    const key = { tenant: "", traceId: "long" };
    const reader = await store.get(key);
    await expect(async () => await store.get(key)).rejects.toThrow("no room");
    const others = [await store.get({ tenant: "", traceId: "short" }), reader];
    for (const each of others) {
      each?.release();
      each?.release();
    }
    expect(inUse.bytes).toBe(0);
    const next = await store.get(key);
    expect(await spansOf(next)).toHaveLength(2000);
    next?.release();
    expect(inUse.bytes).toBe(0);
  });

  it("charges the index of a long trace until the trace is removed", async () => {
    const store = open({ maxSpansPerTrace: 10_000, segmentBytes: 4096 });
    const spansOfTrace = (trace_id: string, count: number): Span[] =>
      Array.from({ length: count }, () => aSpan({ trace_id }));
    await append(store, "kept", 10);
    const before = store.usage().memoryBytes;
    const spans = spansOfTrace("long", 10_000);
    await store.append(pipelineSpans(spans));
    // Nine more pages of 1,024 rows, the JSON; the index has 32,768 places of 12 bytes.
    const withoutIndex = 9 * 1024 * 128 + JSON.stringify(spans).length;
    expect(store.usage().memoryBytes - before).toBeGreaterThan(withoutIndex + 32_768 * 12);
    await store.remove({ tenant: "", traceId: "long" });
    expect(store.usage().memoryBytes - before).toBeLessThan(2 ** 16);

    for (let n = 0; n < 150; n++) await store.append(pipelineSpans(spansOfTrace(`t${n}`, 20 + n * 3)));
    await store.clear();
    expect(store.usage().memoryBytes).toBe(0);
  });

  it("lets a span go that is larger than all that the store may hold, and takes the next one", async () => {
    const store = open({ maxBytes: 2 ** 20 });
    await append(store, "large", 2 ** 20);
    expect(await idsOf(store)).toEqual([]);
    await append(store, "small", 100);
    expect(await idsOf(store)).toEqual(["small"]);
  });

  it("evicts no trace for want of room while dead space can be given back", async () => {
    const store = open({ maxBytes: 2 ** 24, maxSpansPerTrace: 10_000 });
    for (let n = 0; n < 2500; n++) {
      await append(store, n % 5 === 0 ? `t${n}` : "scattered", 4000);
    }
    await store.remove({ tenant: "", traceId: "scattered" });
    await append(store, "large", 8_000_000);
    expect(store.usage()).toMatchObject({ traces: 501, evicted: { max_bytes: 0 } });
    expect(store.usage().memoryBytes).toBeLessThanOrEqual(2 ** 24);
  });

  it("holds no more after the cap has dropped spans of many traces", async () => {
    const store = open({ maxTraces: 10, maxSpansPerTrace: 1, segmentBytes: 4096 });
    for (let n = 0; n < 4000; n++) await append(store, `t${n >> 1}`, 10);
    expect(store.usage().memoryBytes).toBeLessThan(2 ** 20 + 2 ** 18);
  });

  it("remembers at most 100 models of dropped spans", async () => {
    const store = open({ maxSpansPerTrace: 1 });
    await store.append(
      pipelineSpans(Array.from({ length: 300 }, (_, n) => aSpan({ attributes: { model: `m${n}` } }))),
    );
    const found = async (model: string): Promise<number> => (await idsOf(store, { model })).length;
    expect([await found("m0"), await found("m99"), await found("m100")]).toEqual([1, 1, 0]);
    expect([await found("m298"), await found("m299")]).toEqual([0, 1]);
  });

  it("never writes over what a reader still goes through", async () => {
    const store = open({ segmentBytes: 4096, maxTraces: 30 });
    await append(store, "other", 10);
    for (let n = 0; n < 30; n++) await append(store, "read", 100);
    const trace = await store.get({ tenant: "", traceId: "read" });
    await store.remove({ tenant: "", traceId: "read" });
    for (let n = 0; n < 200; n++) await append(store, `t${n}`, (n * 37) % 400);
    const texts = (await spansOf(trace)).map(({ attributes }) => attributes["prompt_text"]);
    expect(texts).toEqual(Array.from({ length: 30 }, () => "x".repeat(100)));
  });

  it("never writes over what a search still goes through", async () => {
    const impatient = new FakeClock();
    impatient.monotonic = () => (impatient.monotonicMs += 1);
    const store = open({ clock: impatient, segmentBytes: 4096, maxTraces: 30 });
    await append(store, "other", 10);
    // Written with \u escapes, so that every span is parsed.
    const spans = Array.from({ length: 60 }, () => aSpan({ trace_id: "read", name: "\u0001" }));
    await store.append(pipelineSpans(spans));
    const search = store.list({ q: "nowhere" });
    await store.remove({ tenant: "", traceId: "read" });
    for (let n = 0; n < 200; n++) {
      const name = "\u0002".repeat((n % 50) + 1);
      await store.append(pipelineSpans([aSpan({ trace_id: `t${n}`, name })]));
    }
    expect((await search).traces).toEqual([]);
  });

  it("gives dead space back when the traces that are left lie far apart", async () => {
    const store = open({ segmentBytes: 2 ** 16 });
    for (let n = 0; n < 4000; n++) await append(store, `t${n}`, 1000);
    const full = store.usage().memoryBytes;
    for (let n = 0; n < 4000; n++) {
      if (n % 10 !== 0) await store.remove({ tenant: "", traceId: `t${n}` });
    }
    for (let n = 0; n < 10; n++) await store.append([]);
    expect(store.usage()).toMatchObject({ traces: 400, spans: 400 });
    expect(store.usage().memoryBytes).toBeLessThan(full * 0.3);
    for (let n = 0; n < 4000; n += 10) {
      const [span] = await spansOf(await store.get({ tenant: "", traceId: `t${n}` }));
      expect(span?.attributes).toEqual({ prompt_text: "x".repeat(1000) });
    }
  });

  it("gives dead space back when what is left of batches lies far apart", async () => {
    const store = open({ segmentBytes: 2 ** 16 });
    const text = (n: number): string => String(n).padEnd(400, "x");
    for (let batch = 0; batch < 400; batch++) {
      const numbers = Array.from({ length: 10 }, (_, index) => batch * 10 + index);
      await store.append(
        pipelineSpans(numbers.map((n) => aSpan({ trace_id: `t${n}`, attributes: { prompt_text: text(n) } }))),
      );
    }
    const full = store.usage().memoryBytes;
    for (let n = 0; n < 4000; n++) {
      if (n % 10 !== 3) await store.remove({ tenant: "", traceId: `t${n}` });
    }
    for (let n = 0; n < 10; n++) await store.append([]);
    expect(store.usage()).toMatchObject({ traces: 400, spans: 400 });
    expect(store.usage().memoryBytes).toBeLessThan(full * 0.3);
    for (let n = 3; n < 4000; n += 10) {
      const [span] = await spansOf(await store.get({ tenant: "", traceId: `t${n}` }));
      expect(span?.attributes).toEqual({ prompt_text: text(n) });
    }
  });

  it("gives the bytes of a batch back of which nothing is kept", async () => {
    const store = open({ maxTraces: 1, segmentBytes: 2 ** 16 });
    await append(store, "a", 10);
    await append(store, "b", 10);
    const { memoryBytes: bytes } = store.usage();
    for (let n = 0; n < 1000; n++) {
      const late = Array.from({ length: 20 }, () => anEvaluation("relevance", 1, { trace_id: "a" }));
      await store.append(pipelineSpans(late));
    }
    expect(store.usage()).toMatchObject({ spans: 1, lateEvaluations: 20_000 });
    // One segment is kept for what comes next.
    expect(store.usage().memoryBytes).toBeLessThanOrEqual(bytes + 2 ** 16);
  });

  it("holds no more after a span has been replaced ten thousand times", async () => {
    const store = open();
    const replace = (): Promise<unknown> =>
      store.append(
        pipelineSpans([aSpan({ span_id: "same", attributes: { prompt_text: "x".repeat(5000) } })]),
      );
    for (let n = 0; n < 10_000; n++) await replace();
    expect(store.usage().spans).toBe(1);
    expect(store.usage().memoryBytes).toBeLessThan(2 ** 23);
  });

  it("spec 4.9 rule 2: holds no more after many traces have come and gone", async () => {
    const store = open({ maxTraces: 100, segmentBytes: 2 ** 16 });
    for (let n = 0; n < 1000; n++) await append(store, `t${n}`, 500);
    const { memoryBytes: bytes } = store.usage();
    for (let n = 1000; n < 20_000; n++) await append(store, `t${n}`, 500);
    expect(store.usage().memoryBytes).toBeLessThan(bytes + 2 ** 21 + 2 ** 17);
    expect(await idsOf(store)).toEqual(Array.from({ length: 100 }, (_, index) => `t${19_999 - index}`));
  });

  it("holds next to nothing when it is empty", async () => {
    const store = open();
    for (let n = 0; n < 2000; n++) await append(store, `t${n}`, 500);
    expect(store.usage().memoryBytes).toBeGreaterThan(2 ** 20);
    await store.clear();
    expect(store.usage().memoryBytes).toBeLessThan(2 ** 14);
  });

  it.each([40, 400])("puts no object on the heap for a span, in batches of %i", async (batchSize) => {
    const store = open();
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const text = "x".repeat(300);
    const fill = async (): Promise<void> => {
      for (let trace = 0; trace < 100; trace++) {
        const spans = Array.from({ length: 400 }, () =>
          aSpan({ trace_id: `t${trace}`, span_type: "llm", attributes: { model: "m", prompt_text: text } }),
        );
        for (let from = 0; from < spans.length; from += batchSize) {
          await store.append(pipelineSpans(spans.slice(from, from + batchSize)));
        }
      }
    };
    await append(store, "warm", 1);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await fill();
    collectGarbage();
    const heapBytesPerSpan = (process.memoryUsage().heapUsed - before) / store.usage().spans;
    expect(store.usage().spans).toBe(40_001);
    expect(heapBytesPerSpan).toBeLessThan(40);
  });

  it("lets expired traces go with every append, also of nothing", async () => {
    const store = open({ ttlSeconds: 60 });
    await append(store, "a", 10);
    clock.advance(60_000);
    await store.append([]);
    expect(store.usage()).toMatchObject({ traces: 0, spans: 0, evicted: { ttl: 1 } });
  });

  it("takes spans after it was stopped, and stops before it starts", async () => {
    const store = open();
    await store.stop();
    await store.start();
    await store.stop();
    await append(store, "a", 10);
    expect(await idsOf(store)).toEqual(["a"]);
  });

  it("reads the pages of a trace that was removed until it is released", async () => {
    const store = open();
    await append(store, "a", 10);
    const trace = await store.get({ tenant: "", traceId: "a" });
    await store.remove({ tenant: "", traceId: "a" });
    for (let round = 0; round < 2; round++) expect(await spansOf(trace)).toHaveLength(1);
    trace?.release();
  });

  it("lets expired traces go by itself, once it has been started", async () => {
    vi.useFakeTimers();
    const store = open({ ttlSeconds: 60 });
    await append(store, "a", 10);
    clock.advance(60_000);
    vi.advanceTimersByTime(5000);
    expect(store.usage()).toMatchObject({ traces: 1 });
    await store.start();
    vi.advanceTimersByTime(1000);
    expect(store.usage()).toMatchObject({ traces: 0, evicted: { ttl: 1 } });
    await store.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("wakes up once a second, and for what it prepares after spans have arrived", async () => {
    vi.useFakeTimers();
    const store = open({ loopUtilization: () => 0 });
    await store.start();
    vi.advanceTimersByTime(50);
    expect(vi.getTimerCount()).toBe(1);
    await append(store, "a", 10);
    expect(vi.getTimerCount()).toBe(2);
    vi.advanceTimersByTime(50);
    expect(vi.getTimerCount()).toBe(1);
    await store.stop();
  });

  it("counts the evaluations that come after their trace has gone", async () => {
    const store = open({ maxTraces: 1 });
    await append(store, "a", 10);
    await append(store, "b", 10);
    await store.append(pipelineSpans([anEvaluation("relevance", 1, { trace_id: "a" })]));
    expect(store.usage()).toMatchObject({ traces: 1, spans: 1, lateEvaluations: 1 });
  });

  it("lets other work go on while it searches", async () => {
    const impatient = new FakeClock();
    impatient.monotonic = () => (impatient.monotonicMs += 1);
    const store = open({ clock: impatient });
    for (let n = 0; n < 200; n++) await append(store, `t${n}`, 10);
    let turns = 0;
    const count = (): void => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await store.list({ q: "nothing like it" });
    clearImmediate(next);
    expect(turns).toBeGreaterThan(20);
  });
});
