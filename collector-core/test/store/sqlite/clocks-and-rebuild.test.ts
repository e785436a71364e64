import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FILE_FORMAT } from "../../../src/store/sqlite/file/migrations.js";
import { readHeld, spansOf } from "../read-trace.js";
import { aModelCall, anEvaluation, aSpan, FakeClock, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore, type DurableStoreOptions } from "./durable-store.js";
import { openFaulty, type Faults } from "./faulty-database.js";
import { noiseOf } from "./noise.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let durable: DurableStore;
const open = async (options: DurableStoreOptions = {}): Promise<void> => {
  durable = await openDurableStore(options);
};
afterEach(() => durable.close());

const ids = async (): Promise<string[]> =>
  (await durable.store.list({ limit: 1000 })).traces.map((trace) => trace.trace_id);
const append = (...spans: Parameters<typeof pipelineSpans>[0][number][]): Promise<void> =>
  durable.store.append(pipelineSpans(spans, { receivedAtMs: durable.clock.wallMs }));

describe("the clocks of a durable store", () => {
  /** The status that the list shows and the one that the span shows. */
  const statuses = async (traceId: string): Promise<unknown[]> => {
    const key = { tenant: "", traceId };
    const [summary] = await durable.store.summaries([key]);
    const span = await readHeld(await durable.store.getSpan(key, "running"));
    return [summary?.status, span?.status];
  };
  const running = (trace_id: string) => aSpan({ trace_id, span_id: "running", status: "RUNNING" });

  it.each([DAY, -DAY])(
    "ages traces by time that passes when the wall clock jumps by %i ms",
    async (jumpMs) => {
      await open({ ttlSeconds: 3600 });
      await append(running("before"));
      durable.clock.wallMs += jumpMs;
      await append(running("after"));
      durable.clock.advance(29 * MINUTE);
      await durable.store.flush();
      expect(await statuses("before")).toEqual(["RUNNING", "RUNNING"]);
      expect(await statuses("after")).toEqual(["RUNNING", "RUNNING"]);
      durable.clock.advance(MINUTE);
      expect(await ids()).toHaveLength(2);
      expect(await statuses("before")).toEqual(["ABANDONED", "ABANDONED"]);
      durable.clock.advance(29 * MINUTE);
      expect(await ids()).toHaveLength(2);
      durable.clock.advance(MINUTE);
      expect(await ids()).toEqual([]);
    },
  );

  it("does not make traces younger when the wall clock is set back between two runs", async () => {
    await open({ ttlSeconds: 3600 });
    await append(running("t"));
    await durable.store.flush();
    durable.clock.advance(20 * MINUTE);
    await durable.store.stop();
    durable.clock.wallMs -= 10 * DAY;
    await durable.reopen();
    durable.clock.advance(9 * MINUTE);
    expect(await statuses("t")).toEqual(["RUNNING", "RUNNING"]);
    await append(running("new"));
    durable.clock.advance(MINUTE);
    await ids();
    expect(await statuses("t")).toEqual(["ABANDONED", "ABANDONED"]);
    expect(await statuses("new")).toEqual(["RUNNING", "RUNNING"]);
    durable.clock.advance(30 * MINUTE);
    expect(await ids()).toEqual(["new"]);
  });

  it.each([DAY, -DAY])(
    "ages no trace at the next start if the wall clock was corrected by %i ms meanwhile",
    async (correctionMs) => {
      await open({ ttlSeconds: 3600 });
      await append(running("t"));
      durable.clock.advance(10 * MINUTE);
      durable.clock.wallMs += correctionMs;
      await append(aSpan({ trace_id: "other" }));
      await durable.store.stop();
      durable.clock.wallMs += 19 * MINUTE;
      await durable.reopen();
      expect(await statuses("t")).toEqual(["RUNNING", "RUNNING"]);
      await durable.store.stop();
      durable.clock.wallMs += MINUTE;
      await durable.reopen();
      expect(await statuses("t")).toEqual(["ABANDONED", "ABANDONED"]);
      durable.clock.advance(30 * MINUTE);
      expect(await ids()).toEqual(["other"]);
    },
  );

  it("counts a wall clock that was set ahead between two runs as time, once", async () => {
    await open({ ttlSeconds: 2 * 24 * 3600 });
    await append(running("t"));
    await durable.store.stop();
    durable.clock.wallMs += DAY;
    await durable.reopen();
    expect(await statuses("t")).toEqual(["ABANDONED", "ABANDONED"]);
    await append(running("new"));
    await durable.store.flush();
    durable.clock.wallMs -= DAY;
    await durable.store.stop();
    durable.clock.wallMs += 31 * MINUTE;
    await durable.reopen();
    expect(await statuses("new")).toEqual(["ABANDONED", "ABANDONED"]);
    expect(await ids()).toHaveLength(2);
  });

  it("counts the time between two runs", async () => {
    await open({ ttlSeconds: 3600 });
    await append(running("t"));
    await durable.store.stop();
    durable.clock.wallMs += 40 * MINUTE;
    await durable.reopen();
    await ids();
    expect(await statuses("t")).toEqual(["ABANDONED", "ABANDONED"]);
    await durable.store.stop();
    durable.clock.wallMs += 21 * MINUTE;
    await durable.reopen();
    expect(await ids()).toEqual([]);
  });
});

describe("a durable store in which many traces fall due at once", () => {
  /** Half of them are more than a step writes. */
  const TRACES = 1200;
  const LAST = `t${TRACES - 1}`;
  const LAST_BUT_ONE = `t${TRACES - 2}`;
  let written = 0;
  beforeEach(() => {
    written = 0;
  });

  /** Fills the store; afterwards `written` counts the traces that are evicted, or written as abandoned. */
  const fill = async (options: DurableStoreOptions = {}): Promise<void> => {
    const faults: Faults = { db: undefined };
    await open({
      openDatabase: openFaulty(faults),
      usualBufferBytes: () => 2 ** 16,
      isTickedByTest: true,
      ...options,
    });
    for (let n = 0; n < TRACES; n += 100)
      await append(
        ...Array.from({ length: 100 }, (_, at) =>
          aSpan({ trace_id: `t${n + at}`, status: n < TRACES / 2 ? "RUNNING" : "OK" }),
        ),
      );
    await durable.store.flush();
    faults.onStatement = (sql) => {
      if (/^(DELETE FROM trace |UPDATE trace SET)/.test(sql)) written++;
    };
  };
  const inOneStep = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    const before = written;
    const result = await step();
    expect(written - before).toBeLessThanOrEqual(500);
    return result;
  };
  const finish = async (): Promise<void> => {
    do {
      durable.clock.advance(20);
      await inOneStep(async () => durable.engine.tick());
    } while (durable.engine.isBusy);
  };

  it("shows running traces as abandoned at once, and writes that in steps", async () => {
    await fill();
    durable.clock.advance(30 * MINUTE);
    const answers = async () => ({
      all: await inOneStep(() => durable.store.list({ limit: 1000, order: "slowest" })),
      running: await inOneStep(() => durable.store.list({ status: "RUNNING" })),
      abandoned: await inOneStep(() => durable.store.list({ status: "ABANDONED", limit: 1000 })),
      ok: await inOneStep(() => durable.store.list({ status: "OK", limit: 1000 })),
      facets: await inOneStep(() => durable.store.facets({})),
      abandonedFacets: await inOneStep(() => durable.store.facets({ status: "ABANDONED" })),
      one: await inOneStep(async () => {
        const trace = await durable.store.get({ tenant: "", traceId: "t7" });
        trace?.release();
        return trace?.summary;
      }),
      summaries: await inOneStep(() => durable.store.summaries([{ tenant: "", traceId: "t8" }])),
    });
    const early = await answers();
    expect(early.running.traces).toEqual([]);
    expect(early.one).toMatchObject({ status: "ABANDONED", running: false });
    expect(early.facets.status).toMatchObject([
      { value: "ABANDONED", count: TRACES / 2 },
      { value: "OK", count: TRACES / 2 },
    ]);
    expect(early.abandoned.traces).toHaveLength(TRACES / 2);
    await finish();
    expect(written).toBeGreaterThanOrEqual(TRACES / 2);
    expect(await answers()).toEqual(early);
    await durable.reopen();
    expect(await answers()).toEqual({
      ...early,
      all: { ...early.all, nextCursor: expect.any(String) as string },
    });
  });

  it("shows no expired trace, and evicts them in steps", async () => {
    await fill({ ttlSeconds: 3600 });
    durable.clock.advance(30 * MINUTE);
    await append(aSpan({ trace_id: "t3" }), aSpan({ trace_id: "new" }));
    durable.clock.advance(31 * MINUTE);
    // A span of an expired trace begins a new one.
    await inOneStep(() => append(aSpan({ trace_id: LAST })));
    const key = (traceId: string) => ({ tenant: "", traceId });
    expect(await inOneStep(ids)).toEqual([LAST, "new", "t3"]);
    expect(await inOneStep(() => durable.store.summaries([key(LAST_BUT_ONE), key(LAST)]))).toMatchObject([
      undefined,
      { span_count: 1, partial: true },
    ]);
    expect(await inOneStep(async () => durable.store.get(key(LAST_BUT_ONE)))).toBeUndefined();
    expect(await inOneStep(async () => durable.store.tenantsOf(LAST_BUT_ONE))).toEqual([]);
    expect(await inOneStep(() => durable.store.facets({}))).toMatchObject({ total: 3 });
    expect(await inOneStep(() => durable.store.list({ q: "span" }))).toMatchObject({
      traces: [{ trace_id: LAST }, { trace_id: "new" }, { trace_id: "t3" }],
    });
    await finish();
    await durable.store.flush();
    expect(durable.store.usage()).toMatchObject({ traces: 3, evicted: { ttl: TRACES - 1 } });
    expect(await ids()).toEqual([LAST, "new", "t3"]);
  });
});

describe("a trace file that is rebuilt", () => {
  const NEWER = { ...FILE_FORMAT, version: FILE_FORMAT.version + 1 };

  it("answers as before, and what was evicted or removed stays gone", async () => {
    const clock = new FakeClock();
    await open({ maxTraces: 40, maxSpansPerTrace: 4, clock });
    const { directory } = durable;
    for (let n = 0; n < 60; n++) {
      const trace_id = `t${n}`;
      const text = { prompt_text: noiseOf(n, 2000), model: `m${n % 3}`, cost_usd: 0.25 };
      await append(
        aSpan({ trace_id, span_id: "root", status: "RUNNING", attributes: { input_text: `question ${n}` } }),
        aModelCall({ trace_id, parent_span_id: "root", attributes: text }),
        aSpan({ trace_id, span_id: "root", status: n % 5 === 0 ? "ERROR" : "OK" }),
        anEvaluation("tone", n / 100, { trace_id }),
      );
      clock.advance(1000);
      // Evicted ones come again, late evaluations do not.
      if (n % 10 === 9) await append(aSpan({ trace_id: `t${n - 9}`, span_id: "again" }));
      if (n % 7 === 0) await durable.store.remove({ tenant: "", traceId: `t${n}` });
    }
    await append(anEvaluation("late", 1, { trace_id: "t3" }), aSpan({ trace_id: "t2", status: "RUNNING" }));
    const answers = async (): Promise<unknown> => {
      const { traces } = await durable.store.list({ limit: 1000 });
      const spans = [];
      for (const { trace_id: traceId } of traces) {
        const trace = await durable.store.get({ tenant: "", traceId });
        spans.push(await spansOf(trace));
        trace?.release();
      }
      const searched = (await durable.store.list({ q: "question 4", limit: 100 })).traces;
      await durable.store.flush();
      const { traces: traceCount, spans: spanCount } = durable.store.usage();
      const facets = await durable.store.facets({});
      return {
        traces,
        spans,
        searched,
        facets,
        histogram: await durable.store.histogram({}),
        traceCount,
        spanCount,
      };
    };
    const before = await answers();
    await durable.store.stop();
    const rebuilt = await openDurableStore({
      directory,
      maxTraces: 40,
      maxSpansPerTrace: 4,
      clock,
      format: NEWER,
    });
    durable = rebuilt;
    await durable.rebuilt();
    expect(await answers()).toEqual(before);
    const { evicted, lateEvaluations } = durable.store.usage();
    expect({ ...evicted, lateEvaluations }).toMatchObject({ max_traces: 0, span_cap: 0, lateEvaluations: 0 });
    await durable.reopen();
    expect(await answers()).toEqual(before);
    // The counts of the chunks are right: when all traces are gone, so are they.
    for (const traceId of await ids()) await durable.store.remove({ tenant: "", traceId });
    await durable.store.flush();
    expect(durable.store.usage()).toMatchObject({ traces: 0, spans: 0 });
  });
});

describe("a text search in a trace file that was rebuilt", () => {
  it("finds the newest traces first", async () => {
    const clock = new FakeClock();
    await open({ clock });
    const { directory } = durable;
    const filled = (trace_id: string, prompt_text: string) =>
      aSpan({ trace_id, attributes: { prompt_text: prompt_text + noiseOf(1, 30_000) } });
    // The newest trace has the text in the oldest of its chunks only, and older traces have it in the last chunks.
    await append(filled("older", ""));
    await append(filled("old", ""));
    await append(filled("new", "needle"));
    for (let n = 0; n < 8; n++) await append(filled("new", ""));
    await append(filled("old", "needle"), filled("older", "needle"));
    for (let n = 0; n < 4; n++) await append(filled("old", ""));
    const found = async () =>
      (await durable.store.list({ q: "needle", limit: 1 })).traces.map((trace) => trace.trace_id);
    expect(await found()).toEqual(["new"]);
    await durable.store.stop();
    durable = await openDurableStore({
      directory,
      clock,
      format: { ...FILE_FORMAT, version: FILE_FORMAT.version + 1 },
    });
    await durable.rebuilt();
    expect(await found()).toEqual(["new"]);
  });
});

describe("a long trace in a file", () => {
  it("of 10,000 spans is read whole, also after late spans", async () => {
    await open({ maxSpansPerTrace: 20_000, usualBufferBytes: () => 2 ** 20 });
    const spans = Array.from({ length: 10_000 }, (_, n) => aSpan({ trace_id: "long", span_id: `s${n}` }));
    for (let at = 0; at < spans.length; at += 500) await append(...spans.slice(at, at + 500));
    await durable.store.flush();
    await append(
      aSpan({ trace_id: "long", span_id: "late" }),
      aSpan({ trace_id: "long", span_id: "s7", name: "new" }),
    );
    const store = await durable.reopen();
    const trace = await store.get({ tenant: "", traceId: "long" });
    expect(trace?.summary).toMatchObject({ span_count: 10_001, dropped_spans: 0 });
    const read = await spansOf(trace);
    trace?.release();
    expect(read.map((span) => span.span_id)).toEqual([...spans.map((span) => span.span_id), "late"]);
    expect(read[7]?.name).toBe("new");
    expect((await readHeld(await store.getSpan({ tenant: "", traceId: "long" }, "s9999")))?.span_id).toBe(
      "s9999",
    );
  });

  it.each(["\0", "\ud800", "a\udc00b", "\uffff", "x\0y\ud834", "\ufeff"])(
    "keeps %j in every text",
    async (text) => {
      await open();
      const key = { tenant: text, traceId: `trace ${text}` };
      const span = aModelCall({
        trace_id: key.traceId,
        span_id: text,
        name: `name ${text}`,
        attributes: { model: `m${text}`, agent: text, prompt_text: `needle ${text}`, input_text: text },
      });
      await durable.store.append(pipelineSpans([span], { tenant: text, service: text, env: text }));
      for (let round = 0; round < 2; round++) {
        const { traces } = await durable.store.list({ tenant: text, service: text, model: `m${text}` });
        expect(traces).toMatchObject([
          { trace_id: key.traceId, root_name: `name ${text}`, service: text, env: text },
        ]);
        expect((await durable.store.list({ q: `needle ${text}` })).traces).toEqual(traces);
        expect((await durable.store.list({ root_name: `name ${text}` })).traces).toEqual(traces);
        expect((await readHeld(await durable.store.getSpan(key, text)))?.attributes).toMatchObject({
          prompt_text: `needle ${text}`,
        });
        await durable.reopen();
      }
      expect(await durable.store.remove(key)).toBe(true);
      expect(await ids()).toEqual([]);
    },
  );
});
