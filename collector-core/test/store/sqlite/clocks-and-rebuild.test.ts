import { afterEach, describe, expect, it } from "vitest";
import { FILE_FORMAT } from "../../../src/store/sqlite/file/migrations.js";
import { readHeld, spansOf } from "../read-trace.js";
import { aModelCall, anEvaluation, aSpan, FakeClock, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore, type DurableStoreOptions } from "./durable-store.js";
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
  }, 30_000);

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
