import { describe, expect, it } from "vitest";
import type { TraceStore } from "../../../src/interfaces.js";
import { keysOf, storedOf } from "../read-trace.js";
import { aSpan, FakeClock } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

const KEY = { tenant: "", traceId: "trace" };

/** Every query, by name. */
const QUERIES: Readonly<Record<string, (store: TraceStore, signal: AbortSignal) => Promise<unknown>>> = {
  get: (store, signal) => store.get(KEY, signal),
  getSpan: (store, signal) => store.getSpan(KEY, "a", signal),
  labelsOf: (store, signal) => store.labelsOf([{ ...KEY, spanId: "a" }], signal),
  outputPreviews: (store, signal) => store.outputPreviews([{ ...KEY, spanId: "a" }], signal),
  tenantsOf: (store, signal) => store.tenantsOf("trace", signal),
  summaries: (store, signal) => store.summaries([KEY], signal),
  list: (store, signal) => store.list({}, signal),
  "list with a text": (store, signal) => store.list({ q: "span" }, signal),
  facets: (store, signal) => store.facets({}, signal),
  histogram: (store, signal) => store.histogram({}, signal),
  groups: (store, signal) => store.groups({ by: "name" }, signal),
  "groups by attribute": (store, signal) => store.groups({ by: "@plan" }, signal),
  select: (store, signal) => keysOf(store.select({}, signal)),
};

/** Queries that take several time slices. */
const LONG_QUERIES = [
  "summaries of many",
  "list with a text",
  "facets with a text",
  "select with a text",
  "groups by attribute",
];

/** Queries whose client has left. */
export function describeAbortedQueries(createStore: CreateStore): void {
  describe("aborted queries", () => {
    const harness = createHarness(createStore);
    const { open, append } = harness;
    const reason = new Error("The client has left.");

    it.each(Object.keys(QUERIES))("%s rejects with the reason of a signal that is aborted", async (name) => {
      await append(aSpan({ span_id: "a" }));
      await expect(QUERIES[name]?.(harness.store, AbortSignal.abort(reason))).rejects.toBe(reason);
      await expect(QUERIES[name]?.(harness.store, new AbortController().signal)).resolves.toBeDefined();
    });

    it.each(LONG_QUERIES)("%s ends midway when its signal is aborted", async (name) => {
      const impatient = new FakeClock();
      impatient.monotonic = () => (impatient.monotonicMs += 3);
      await open({ clock: impatient });
      const ids = Array.from({ length: 100 }, (_, n) => `t${n}`);
      await append(ids.map((trace_id) => aSpan({ trace_id })));
      await harness.store.flush();
      const { store } = harness;
      const leaving = new AbortController();
      const { signal } = leaving;
      const keys = ids.map((traceId) => ({ tenant: "", traceId }));
      const queries: Record<string, () => Promise<unknown>> = {
        "summaries of many": () => store.summaries(keys, signal),
        "list with a text": () => store.list({ q: "nowhere" }, signal),
        "facets with a text": () => store.facets({ q: "nowhere" }, signal),
        "select with a text": () => keysOf(store.select({ q: "nowhere" }, signal)),
        "groups by attribute": () => store.groups({ by: "@nowhere" }, signal),
      };
      const answer = queries[name]?.();
      setImmediate(() => leaving.abort(reason));
      await expect(answer).rejects.toBe(reason);
    });

    it("the pages of a trace end with the signal that the trace was read with", async () => {
      await open({ maxSpansPerTrace: 1000 });
      for (let n = 0; n < 10; n++)
        await append(
          Array.from({ length: 100 }, () => aSpan({ attributes: { prompt_text: "x".repeat(900) } })),
        );
      const leaving = new AbortController();
      const trace = await harness.store.get(KEY, leaving.signal);
      const pages = trace?.spans[Symbol.asyncIterator]();
      expect((await pages?.next())?.done).toBe(false);
      leaving.abort(reason);
      await expect(pages?.next()).rejects.toBe(reason);
      await expect(storedOf(trace?.received)).rejects.toBe(reason);
      trace?.release();
    });

    it("the pages of selected traces end with their signal", async () => {
      await open({ maxTraces: 5000 });
      for (let from = 0; from < 3000; from += 100)
        await append(Array.from({ length: 100 }, (_, n) => aSpan({ trace_id: `t${from + n}` })));
      const leaving = new AbortController();
      const pages = harness.store.select({}, leaving.signal)[Symbol.asyncIterator]();
      expect((await pages.next()).done).toBe(false);
      leaving.abort(reason);
      await expect(pages.next()).rejects.toBe(reason);
    });

    it("an aborted query leaves the store as it was", async () => {
      await append(aSpan({ span_id: "a" }));
      for (const query of Object.values(QUERIES))
        await query(harness.store, AbortSignal.abort(reason)).catch(() => undefined);
      expect(await harness.idsOf()).toEqual(["trace"]);
    });
  });
}
