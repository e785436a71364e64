import { describe, expect, it } from "vitest";
import { anEvaluation, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** The usage of a store. */
export function describeUsage(createStore: CreateStore, isShared: boolean): void {
  describe("usage", () => {
    const harness = createHarness(createStore);
    const { open, append, usage } = harness;

    it("has every count from the start", async () => {
      expect(await usage()).toEqual({
        traces: 0,
        spans: 0,
        memoryBytes: expect.any(Number) as number,
        diskBytes: (await usage()).diskBytes === null ? null : (expect.any(Number) as number),
        pendingBytes: 0,
        lateEvaluations: 0,
        evicted: {
          max_traces: 0,
          max_bytes: 0,
          disk_max_bytes: 0,
          ttl: 0,
          pruned: 0,
          span_cap: 0,
          cleared: 0,
        },
        unsaved: { disk_full: 0, io_error: 0, thread_died: 0, corrupt_chunk: 0, file_gone: 0 },
        state: "ok",
        reason: null,
        oldestAtMs: null,
        rebuildProgress: null,
      });
    });

    it("counts what was appended once it is flushed, and nothing is pending then", async () => {
      await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "a" }), aSpan({ trace_id: "b" })]);
      expect(await usage()).toMatchObject({ traces: 2, spans: 3, pendingBytes: 0, state: "ok" });
      if (!isShared) expect((await usage()).memoryBytes).toBeGreaterThan(0);
    });

    it.skipIf(isShared)("tells when the oldest trace arrived", async () => {
      await open({ maxTraces: 2 });
      const at = (hour: number): number => Date.UTC(2026, 0, 1, hour);
      await append(aSpan({ trace_id: "a" }), { receivedAtMs: at(1) });
      await append(aSpan({ trace_id: "b" }), { receivedAtMs: at(2) });
      await append(aSpan({ trace_id: "a" }), { receivedAtMs: at(3) });
      expect((await usage()).oldestAtMs).toBe(at(1));
      await append(aSpan({ trace_id: "c" }), { receivedAtMs: at(4) });
      expect((await usage()).oldestAtMs).toBe(at(2));
      await harness.store.clear();
      expect((await usage()).oldestAtMs).toBeNull();
    });

    it.skipIf(isShared)("counts late evaluations", async () => {
      await open({ maxTraces: 1 });
      await append(aSpan({ trace_id: "a" }));
      await append(aSpan({ trace_id: "b" }));
      await append([anEvaluation("tone", 1, { trace_id: "a" }), anEvaluation("tone", 1, { trace_id: "b" })]);
      expect(await usage()).toMatchObject({ traces: 1, spans: 2, lateEvaluations: 1 });
    });

    it("may be flushed at any time, also when there is nothing to flush", async () => {
      await harness.store.flush();
      const appended = append(aSpan());
      await Promise.all([appended, harness.store.flush(), harness.store.flush()]);
      expect(await usage()).toMatchObject({ spans: 1 });
    });
  });
}
