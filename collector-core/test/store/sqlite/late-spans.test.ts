import { afterEach, describe, expect, it } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import { createMemoryTraceStore } from "../../../src/store/memory/memory-trace-store.js";
import { spansOf } from "../read-trace.js";
import { aModelCall, aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore } from "./durable-store.js";

const TRACES = 60;
const ROUNDS = 8;
const CAP = 5;

describe("late spans of many traces", () => {
  let opened: DurableStore | undefined;

  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  it("find their traces as they were, after a restart and in one batch", async () => {
    opened = await openDurableStore({ maxSpansPerTrace: CAP });
    const { clock } = opened;
    const memory = createMemoryTraceStore({
      maxTraces: 1000,
      maxSpansPerTrace: CAP,
      ttlSeconds: 0,
      maxBytes: 2 ** 26,
      clock,
    });
    const append = async (spans: readonly Span[]): Promise<void> => {
      for (const store of [opened?.store, memory]) await store?.append(pipelineSpans(spans));
    };
    const ids = Array.from({ length: TRACES }, (_, n) => `trace-${n}`);
    for (let round = 0; round < ROUNDS; round++)
      await append(
        ids.map((trace_id) =>
          (round % 2 === 0 ? aSpan : aModelCall)({
            trace_id,
            span_id: `s${round}`,
            status: round === 3 ? "RUNNING" : "OK",
          }),
        ),
      );
    await opened.reopen();
    await append([
      ...ids.map((trace_id) => aSpan({ trace_id, span_id: "late" })),
      ...ids.map((trace_id) => aSpan({ trace_id, span_id: "s3", duration_ms: 77 })),
      aSpan({ trace_id: "new" }),
    ]);
    const keys = [...ids, "new"].map((traceId) => ({ tenant: "", traceId }));
    expect(await opened.store.summaries(keys)).toEqual(await memory.summaries(keys));
    const key = { tenant: "", traceId: "trace-7" };
    expect(await spansOf(await opened.store.get(key))).toEqual(await spansOf(await memory.get(key)));
    expect((await opened.store.list({ limit: 1000 })).traces).toHaveLength(TRACES + 1);
  });
});
