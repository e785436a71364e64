import { describe, expect, it } from "vitest";
import type { SpanPages, TraceKey } from "../../../src/interfaces.js";
import type { StoredSpan } from "../../../src/span/stored-span.js";
import { aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

const PAGE_BYTES = 256 * 1024;
const KEY = { tenant: "", traceId: "trace" };

/** Spans and keys in pages. */
export function describePages(createStore: CreateStore, isShared: boolean): void {
  describe("pages of spans", () => {
    const harness = createHarness(createStore);
    const { open, append } = harness;
    const sizeOf = ({ slice }: StoredSpan): number => slice.end - slice.start;
    const pagesOf = async (pages: SpanPages | undefined): Promise<(readonly StoredSpan[])[]> => {
      const all: (readonly StoredSpan[])[] = [];
      if (pages !== undefined) for await (const page of pages) all.push(page);
      return all;
    };

    it("have at most 256 KiB, or one span", async () => {
      await open({ maxSpansPerTrace: 3000 });
      for (let n = 0; n < 20; n++)
        await append(
          Array.from({ length: 100 }, () => aSpan({ attributes: { prompt_text: "x".repeat(500) } })),
        );
      await append(aSpan({ span_id: "large", attributes: { prompt_text: "y".repeat(600_000) } }));
      await append(aSpan({ span_id: "last" }));
      const trace = await harness.store.get(KEY);
      for (const pages of [await pagesOf(trace?.spans), await pagesOf(trace?.received)]) {
        expect(pages.flat()).toHaveLength(2002);
        expect(pages.length).toBeGreaterThan(4);
        for (const page of pages) {
          expect(page.length).toBeGreaterThan(0);
          const bytes = page.reduce((sum, span) => sum + sizeOf(span), 0);
          if (page.length > 1) expect(bytes).toBeLessThanOrEqual(PAGE_BYTES);
        }
        expect(pages.some(([span, ...others]) => others.length === 0 && span && sizeOf(span) > 600_000)).toBe(
          true,
        );
      }
      trace?.release();
    });

    it("may be read again until the trace is released", async () => {
      await append(Array.from({ length: 10 }, () => aSpan()));
      const trace = await harness.store.get(KEY);
      for (let round = 0; round < 2; round++) {
        expect((await pagesOf(trace?.spans)).flat()).toHaveLength(10);
        expect((await pagesOf(trace?.received)).flat()).toHaveLength(10);
      }
      trace?.release();
    });

    it.skipIf(isShared)("are all there after the trace was evicted", async () => {
      await open({ maxTraces: 1 });
      await append(Array.from({ length: 10 }, () => aSpan()));
      const trace = await harness.store.get(KEY);
      await append(aSpan({ trace_id: "next" }));
      expect(await harness.idsOf()).toEqual(["next"]);
      expect((await pagesOf(trace?.spans)).flat()).toHaveLength(10);
      expect((await pagesOf(trace?.received)).flat()).toHaveLength(10);
      trace?.release();
    });

    it.each(["remove", "clear"] as const)("are never a part of the spans after %s", async (command) => {
      await append(Array.from({ length: 10 }, () => aSpan()));
      const trace = await harness.store.get(KEY);
      await (command === "clear" ? harness.store.clear() : harness.store.remove(KEY));
      await append(aSpan({ trace_id: "next" }));
      const next = await harness.store.get({ tenant: "", traceId: "next" });
      for (const pages of [trace?.spans, trace?.received]) {
        const read = pagesOf(pages).then(
          (all) => all.flat().length,
          (error: unknown) => (error as { code: string }).code,
        );
        expect([10, "trace_not_found"]).toContain(await read);
      }
      trace?.release();
      expect((await pagesOf(next?.spans)).flat()).toHaveLength(1);
      next?.release();
    });

    it("need not be read to the end", async () => {
      await append(Array.from({ length: 10 }, () => aSpan()));
      const trace = await harness.store.get(KEY);
      for await (const page of trace?.spans ?? []) {
        expect(page.length).toBeGreaterThan(0);
        break;
      }
      trace?.release();
      expect(await harness.idsOf()).toEqual(["trace"]);
    });
  });

  describe("pages of selected traces", () => {
    const harness = createHarness(createStore);
    const { open, append } = harness;
    const fill = async (count: number): Promise<string[]> => {
      await open({ maxTraces: 5000 });
      const ids = Array.from({ length: count }, (_, n) => `t${n}`);
      for (let from = 0; from < count; from += 100)
        await append(ids.slice(from, from + 100).map((trace_id) => aSpan({ trace_id })));
      return ids;
    };
    const idsIn = (page: readonly TraceKey[]): string[] => page.map(({ traceId }) => traceId);

    it("come before all traces are found, oldest first, and are not empty", async () => {
      const ids = await fill(3000);
      const found: string[] = [];
      let pages = 0;
      for await (const page of harness.store.select({})) {
        pages++;
        expect(page.length).toBeGreaterThan(0);
        expect(page.length).toBeLessThan(3000);
        found.push(...idsIn(page));
      }
      expect(found).toEqual(ids);
      expect(pages).toBeGreaterThan(1);
    });

    it("have every trace that stays once while others come and go, and none that came later", async () => {
      const ids = await fill(3000);
      const found: string[] = [];
      for await (const page of harness.store.select({})) {
        if (found.length === 0) {
          await append([aSpan({ trace_id: "new" }), aSpan({ trace_id: "t2500" })]);
          for (const traceId of ["t0", "t2000", "t2999"]) await harness.store.remove({ tenant: "", traceId });
        }
        found.push(...idsIn(page));
      }
      const stayed = ids.filter((id) => !["t0", "t2000", "t2999"].includes(id));
      expect(found.filter((id) => stayed.includes(id))).toEqual(stayed);
      expect(found).not.toContain("new");
    });

    it("may be deleted while they are read", async () => {
      // A deletion is a mutation of ClickHouse, which does them one by one.
      await fill(isShared ? 20 : 1200);
      for await (const page of harness.store.select({ service: "shop" }))
        expect(new Set(await Promise.all(page.map((key) => harness.store.remove(key))))).toEqual(
          new Set([true]),
        );
      expect(await harness.idsOf()).toEqual([]);
    });

    it("are none where nothing matches", async () => {
      await fill(10);
      for (const filter of [{ service: "other" }, { trace_id: "t99" }, { q: "nowhere" }])
        for await (const page of harness.store.select(filter)) expect(page).toBeUndefined();
    });

    it("have the traces of an id that several tenants have, oldest first", async () => {
      for (const tenant of ["b", "a", "c"]) await append(aSpan(), { tenant });
      const found: TraceKey[] = [];
      for await (const page of harness.store.select({ trace_id: "trace" })) found.push(...page);
      expect(found.map(({ tenant }) => tenant)).toEqual(["b", "a", "c"]);
    });

    it("fail with the first page for a time that cannot be read", async () => {
      const pages = harness.store.select({ since: "yesterday" })[Symbol.asyncIterator]();
      await expect(pages.next()).rejects.toMatchObject({
        code: "invalid_query",
        details: { field: "since" },
      });
    });
  });

  describe("summaries of several traces", () => {
    const harness = createHarness(createStore);
    const { append } = harness;

    it("come in the order of the keys, with a gap for each trace that is not there", async () => {
      await append([aSpan({ trace_id: "a", name: "first" }), aSpan({ trace_id: "b", name: "second" })]);
      const keys = ["none", "b", "a", "gone", "b"].map((traceId) => ({ tenant: "", traceId }));
      const summaries = await harness.store.summaries([...keys, { tenant: "other", traceId: "a" }]);
      expect(summaries.map((summary) => summary?.root_name)).toEqual([
        undefined,
        "second",
        "first",
        undefined,
        "second",
        undefined,
      ]);
      expect(await harness.store.summaries([])).toEqual([]);
    });

    it("are those of the traces themselves", async () => {
      await append([aSpan(), aSpan({ status: "ERROR" })]);
      expect(await harness.store.summaries([KEY])).toEqual([await harness.summaryOf()]);
    });
  });
}
