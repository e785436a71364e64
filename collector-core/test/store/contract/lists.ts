import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/api-schema/errors.js";
import { aModelCall, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** Lists of traces, page by page (spec 4.3). */
export function describeLists(createStore: CreateStore, isShared: boolean): void {
  describe("lists", () => {
    const harness = createHarness(createStore);
    const { open, append, idsOf } = harness;

    const fill = async (count: number): Promise<void> => {
      for (let n = 1; n <= count; n++) await append(aSpan({ trace_id: `t${n}` }));
    };

    it("spec 4.3: lists the newest 20 unless told otherwise", async () => {
      await fill(25);
      const page = await harness.store.list({});
      expect(page.traces.map((trace) => trace.trace_id)).toEqual(
        Array.from({ length: 20 }, (_, index) => `t${25 - index}`),
      );
      expect(page.nextCursor).not.toBeNull();
      expect((await harness.store.list({ limit: 25 })).nextCursor).toBeNull();
    });

    it("spec 4.3: looks up one trace by trace_id", async () => {
      await fill(3);
      expect(await idsOf({ trace_id: "t2" })).toEqual(["t2"]);
      expect(await idsOf({ trace_id: "t2", service: "other" })).toEqual([]);
      expect(await idsOf({ trace_id: "t9" })).toEqual([]);
    });

    it("goes through all pages while traces come and go, none twice and none left out", async () => {
      await open({ maxTraces: 10 });
      await fill(10);
      const first = await harness.store.list({ limit: 3 });
      expect(first.traces.map((trace) => trace.trace_id)).toEqual(["t10", "t9", "t8"]);
      await append([aSpan({ trace_id: "new" }), aSpan({ trace_id: "t7" })]);
      await harness.store.remove({ tenant: "", traceId: "t8" });
      await harness.store.remove({ tenant: "", traceId: "t5" });
      const second = await harness.store.list({ limit: 3, cursor: first.nextCursor ?? "" });
      expect(second.traces.map((trace) => trace.trace_id)).toEqual(["t7", "t6", "t4"]);
      const third = await harness.store.list({ limit: 3, cursor: second.nextCursor ?? "" });
      // The oldest trace made room for the new one.
      const last = isShared ? ["t3", "t2", "t1"] : ["t3", "t2"];
      expect(third.traces.map((trace) => trace.trace_id)).toEqual(last);
      expect(third.nextCursor).toBeNull();
    });

    it("refuses a cursor that it has not given", async () => {
      await fill(3);
      const { nextCursor } = await harness.store.list({ limit: 1 });
      for (const cursor of [
        "",
        "x",
        "%%%",
        `${nextCursor}A`,
        "MTIz",
        Buffer.from("a.1").toString("base64url"),
      ]) {
        const refused = harness.store.list({ cursor });
        await expect(refused).rejects.toBeInstanceOf(ApiError);
        await expect(refused).rejects.toMatchObject({ code: "invalid_query", status: 400 });
      }
    });

    it("spec 4.3: filters over the whole store, not over a page", async () => {
      await append(aModelCall({ trace_id: "rare", attributes: { model: "large", agent: "planner" } }), {
        service: "billing",
        env: "test",
      });
      await append(aSpan({ trace_id: "failed", status: "ERROR" }));
      await fill(60);
      for (const filter of [
        { service: "billing" },
        { env: "test" },
        { agent: "planner" },
        { model: "large" },
        { service: "billing", env: "test", agent: "planner", model: "large", status: "OK", q: "SPAN" },
      ]) {
        expect((await harness.store.list({ ...filter, limit: 1 })).traces).toMatchObject([
          { trace_id: "rare" },
        ]);
      }
      expect(await idsOf({ status: "ERROR" })).toEqual(["failed"]);
      expect(await idsOf({ service: "billing", model: "small" })).toEqual([]);
      expect(await idsOf({ service: "" })).toEqual([]);
    });

    it("finds a trace by any service, agent and model that its spans name", async () => {
      await append(aModelCall({ attributes: { agent: "one", model: "m1" } }), { service: "web" });
      await append(aModelCall({ attributes: { agent: "two", model: "m2" } }), {
        service: "worker",
        env: "test",
      });
      for (const filter of [
        { service: "worker", agent: "one" },
        { agent: "two", model: "m1" },
        { env: "test" },
      ]) {
        expect(await idsOf(filter)).toEqual(["trace"]);
      }
    });
  });

  describe("orders", () => {
    const harness = createHarness(createStore);
    const { append, idsOf } = harness;

    const fill = async (durations: readonly number[]): Promise<void> => {
      for (const [index, duration_ms] of durations.entries()) {
        const cost_usd = 1 / (1 + duration_ms);
        await append(aModelCall({ trace_id: `t${index}`, duration_ms, attributes: { cost_usd } }));
      }
    };

    it("contract 3: slowest and costliest first, the newer first where they are equal", async () => {
      await fill([5, 50, 5, 500, 0]);
      expect(await idsOf({ order: "slowest" })).toEqual(["t3", "t1", "t2", "t0", "t4"]);
      expect(await idsOf({ order: "costliest" })).toEqual(["t4", "t2", "t0", "t1", "t3"]);
      expect(await idsOf({ order: "newest" })).toEqual(["t4", "t3", "t2", "t1", "t0"]);
    });

    it("contract 3: the latest start first, whatever arrives last, with a text or without", async () => {
      const start = (second: number): string => `2026-11-21T14:00:0${second}Z`;
      for (const [index, second] of [5, 3, 9, 3, 1].entries())
        await append(aSpan({ trace_id: `t${index}`, start_time: start(second) }));
      expect(await idsOf({ order: "start" })).toEqual(["t2", "t0", "t3", "t1", "t4"]);
      expect(await idsOf({ order: "start", q: "span" })).toEqual(["t2", "t0", "t3", "t1", "t4"]);
      expect(await idsOf({ order: "start", since: start(2), until: start(9) })).toEqual(["t0", "t3", "t1"]);
    });

    it.each([{}, { q: "SPAN" }])("places an arrival on its page of the order by start: %o", async (text) => {
      const start = (second: number): string => `2026-11-21T14:00:${second}Z`;
      for (const second of [10, 20, 30, 40])
        await append(aSpan({ trace_id: `t${second}`, start_time: start(second) }));
      const page = { ...text, order: "start", limit: 2 } as const;
      const first = await harness.store.list(page);
      expect(first.traces.map(({ trace_id }) => trace_id)).toEqual(["t40", "t30"]);
      await append(aSpan({ trace_id: "late", start_time: start(15) }));
      await append(aSpan({ trace_id: "new", start_time: start(50) }));
      const second = await harness.store.list({ ...page, cursor: first.nextCursor ?? "" });
      expect(second.traces.map(({ trace_id }) => trace_id)).toEqual(["t20", "late"]);
    });

    it("orders what the filters choose", async () => {
      await fill([5, 50, 500]);
      await append(aSpan({ trace_id: "failed", status: "ERROR", duration_ms: 7 }));
      expect(await idsOf({ order: "slowest", status: "ERROR" })).toEqual(["failed"]);
      expect(await idsOf({ order: "slowest", min_duration_ms: 50 })).toEqual(["t2", "t1"]);
    });

    it("goes through all pages while traces come and go, none twice and none left out", async () => {
      const durations = Array.from({ length: 40 }, (_, index) => (index * 17) % 23);
      await fill(durations);
      const whole = await idsOf({ order: "slowest" });
      const paged: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; ; page++) {
        const { traces, nextCursor } = await harness.store.list({
          order: "slowest",
          limit: 6,
          ...(cursor === undefined ? {} : { cursor }),
        });
        paged.push(...traces.map(({ trace_id }) => trace_id));
        if (nextCursor === null) break;
        cursor = nextCursor;
        // What comes is on none of the pages, wherever it would stand.
        await append([
          aSpan({ trace_id: `late ${page}`, duration_ms: 11 }),
          aSpan({ trace_id: `later ${page}`, duration_ms: 0 }),
        ]);
        if (page === 2) await harness.store.remove({ tenant: "", traceId: whole.at(-1) ?? "" });
      }
      expect(paged).toEqual(whole.slice(0, -1));
    });

    it("has no next cursor where nothing more matches", async () => {
      await fill([1, 2, 3, 4]);
      expect((await harness.store.list({ order: "slowest", limit: 4 })).nextCursor).toBeNull();
      expect((await harness.store.list({ order: "slowest", limit: 3 })).nextCursor).not.toBeNull();
      expect(
        (await harness.store.list({ order: "slowest", limit: 3, min_duration_ms: 2 })).nextCursor,
      ).toBeNull();
    });

    it("refuses a cursor of another order", async () => {
      await fill([1, 2, 3]);
      const { nextCursor } = await harness.store.list({ order: "slowest", limit: 1 });
      for (const order of ["newest", "costliest"] as const) {
        await expect(harness.store.list({ order, cursor: nextCursor ?? "" })).rejects.toMatchObject({
          code: "invalid_query",
        });
      }
    });
  });
}
