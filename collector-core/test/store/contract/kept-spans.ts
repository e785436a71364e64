import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../../src/runtime/time-slice.js";
import { readStored } from "../../../src/span/stored-span.js";
import { spansOf as spansOfTrace, storedOf } from "../read-trace.js";
import { aModelCall, anEvaluation, aSpan, fromBody } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** How a store keeps spans. */
export function describeKeptSpans(createStore: CreateStore, isShared: boolean): void {
  describe("keeping spans", () => {
    const harness = createHarness(createStore);
    const { open, append, summaryOf, spansOf, spanOf, idsOf } = harness;

    it("answers a span with the defaults filled in", async () => {
      await append(
        { name: "call", trace_id: "trace", span_id: "a", duration_ms: 5 },
        { service: "shop", env: "test", version: "1.2", receivedAtMs: Date.UTC(2026, 0, 1) },
      );
      expect(await spansOf()).toEqual([
        {
          trace_id: "trace",
          span_id: "a",
          parent_span_id: null,
          name: "call",
          span_type: "span",
          status: "OK",
          start_time: "2025-12-31T23:59:59.995Z",
          end_time: "2026-01-01T00:00:00.000Z",
          duration_ms: 5,
          service: "shop",
          env: "test",
          version: "1.2",
          attributes: {},
          events: [],
        },
      ]);
    });

    it("answers the same for a span that has no bytes of its own", async () => {
      const span = aModelCall({ span_id: "a", attributes: { prompt_text: 'Grüße "🎉"\n' } });
      await append(span);
      await append({ ...span, trace_id: "redacted" }, { withoutJson: true });
      const [plain] = await spansOf();
      const [redacted] = await spansOf("redacted");
      expect(redacted).toEqual({ ...plain, trace_id: "redacted" });
    });

    it("keeps the id that was made for a span, also where the span came with one that cannot be used", async () => {
      const unusable = { name: "two", trace_id: "trace", span_id: 7 } as unknown as Span;
      const batch = [{ name: "one", trace_id: "trace" }, unusable];
      for (const withoutJson of [false, true]) {
        const made = [`made-1-${withoutJson}`, `made-2-${withoutJson}`];
        await append(batch, { generatedSpanIds: made, withoutJson });
        for (const id of made) {
          expect(await spanOf(id)).toMatchObject({ span_id: id });
        }
      }
      expect((await summaryOf()).span_count).toBe(4);
    });

    it("answers spans in order of start to the nanosecond, ties by arrival", async () => {
      await append([
        aSpan({ span_id: "c", start_time: "2026-01-01T00:00:00.000000002Z" }),
        aSpan({ span_id: "a", start_time: "2026-01-01T00:00:00.000000001Z" }),
        anEvaluation("relevance", 1, { span_id: "d", start_time: "2026-01-01T00:00:00.000000002Z" }),
        aSpan({ span_id: "e", start_time: "2026-01-01T00:00:00.000000002Z" }),
        aSpan({ span_id: "f", start_time: "2026-01-01T00:00:01Z" }),
        aSpan({ span_id: "b", start_time: "2026-01-01T00:00:00.000000001Z" }),
      ]);
      expect((await spansOf()).map((span) => span.span_id)).toEqual(["a", "b", "c", "d", "e", "f"]);
    });

    it("takes __proto__ and constructor for data: as tenant, trace id, span id and attribute", async () => {
      for (const id of ["__proto__", "constructor", "toString"]) {
        const body = `{"spans":[{"name":"n","trace_id":"${id}","span_id":"${id}","attributes":{"${id}":"kept","model":"${id}","agent":"${id}"}}]}`;
        await harness.store.append(fromBody(Buffer.from(body), { tenant: id, service: id, env: id }));
        const span = await spanOf(id, id, id);
        expect(Object.entries(span?.attributes ?? {})).toContainEqual([id, "kept"]);
        expect(await idsOf({ service: id, env: id, model: id, agent: id })).toEqual([id]);
        expect((await harness.store.facets({ model: id })).model).toEqual([{ value: id, count: 1 }]);
      }
      expect(await harness.store.get({ tenant: "", traceId: "hasOwnProperty" })).toBeUndefined();
      expect(await spanOf("valueOf", "__proto__", "__proto__")).toBeUndefined();
    });

    it("takes equal ids of two tenants for two traces", async () => {
      await append(aSpan({ span_id: "x", name: "first" }), { tenant: "a" });
      await append(aSpan({ span_id: "x", name: "second" }), { tenant: "b" });
      expect((await spansOf("trace", "a")).map((span) => span.name)).toEqual(["first"]);
      expect((await spansOf("trace", "b")).map((span) => span.name)).toEqual(["second"]);
      expect(await idsOf({ trace_id: "trace" })).toEqual(["trace", "trace"]);
      expect(await harness.store.remove({ tenant: "a", traceId: "trace" })).toBe(true);
      expect(await spansOf("trace", "b")).toHaveLength(1);
    });

    it("keeps a text of many megabytes whole", async () => {
      const text = "0123456789abcdef".repeat(2 ** 18);
      await append([aSpan(), aSpan({ span_id: "large", attributes: { prompt_text: text } }), aSpan()]);
      const span = await spanOf("large");
      expect(span?.attributes["prompt_text"] === text).toBe(true);
      expect(await spansOf()).toHaveLength(3);
    });

    it.skipIf(isShared)("goes on with a trace as it was while the store changes", async () => {
      await open({ maxTraces: 1 });
      await append(
        [1, 2, 3].map((n) => aSpan({ name: `n${n}`, attributes: { prompt_text: "x".repeat(500) } })),
      );
      const trace = await harness.store.get({ tenant: "", traceId: "trace" });
      const names: string[] = [];
      for (const span of await storedOf(trace?.spans)) {
        names.push((await readStored(span, new TimeSlice(harness.clock))).name);
        for (let i = 0; i < 50; i++) {
          await append(aSpan({ trace_id: `other ${i}`, attributes: { prompt_text: "y".repeat(500) } }));
        }
      }
      expect(names).toEqual(["n1", "n2", "n3"]);
      expect(await spansOfTrace(trace)).toHaveLength(3);
      expect(await harness.store.get({ tenant: "", traceId: "trace" })).toBeUndefined();
    });
  });
}
