import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aSpan, pipelineSpans } from "../span-batches.js";
import { RecordWriter, type RecordSink } from "../../../src/store/sqlite/records/write-records.js";
import type { PipelineSpan } from "../../../src/span/pipeline-span.js";
import { openDurableStore, type DurableStore } from "./durable-store.js";
import { openFaulty, type Faults } from "./faulty-database.js";

describe("spans that wait for a commit", () => {
  let opened: DurableStore | undefined;

  // Ticks of the storage thread would commit too.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));

  afterEach(async () => {
    vi.useRealTimers();
    await opened?.close();
    opened = undefined;
  });

  it("are committed within the interval, also if appends leave no time for a tick", async () => {
    opened = await openDurableStore({ commitIntervalMs: 200 });
    const { store, engine, clock } = opened;
    await store.append(pipelineSpans([aSpan({ trace_id: "a" })]));
    expect(engine.usage().pendingSpans).toBe(1);
    clock.advance(201);
    await store.append(pipelineSpans([aSpan({ trace_id: "b" })]));
    expect(engine.usage().pendingSpans).toBe(0);
  });

  it("are written in part with the appends before it, so that no commit is a long step", async () => {
    const faults: Faults = { db: undefined };
    opened = await openDurableStore({ openDatabase: openFaulty(faults), isTickedByTest: true });
    const { store } = opened;
    let written = 0;
    faults.onStatement = (sql) => {
      if (/^(INSERT INTO|UPDATE) trace /.test(sql)) written++;
    };
    const steps: number[] = [];
    const step = async (work: () => Promise<unknown>): Promise<void> => {
      written = 0;
      await work();
      steps.push(written);
    };
    /** A trace that each append continues. */
    const lasting = Array.from({ length: 50 }, (_, n) => `lasting-${n}`);
    for (let n = 0; n < 15; n++) {
      const complete = Array.from({ length: 200 }, (_, at) => `t${n}-${at}`);
      const spans = [...complete, ...lasting].map((trace_id) => aSpan({ trace_id, span_id: `s${n}` }));
      // Not through the store, whose questions would have everything written.
      const records = recordsOf(pipelineSpans(spans));
      await step(async () => opened?.engine.append(records));
    }
    expect(opened.engine.usage().pendingSpans).toBe(15 * 250);
    await step(() => store.flush());
    expect(Math.max(...steps)).toBeLessThanOrEqual(850);
    // The lasting ones were written once, not with each append.
    expect(steps.reduce((sum, each) => sum + each)).toBe(15 * 200 + 50);
    expect(store.usage()).toMatchObject({ traces: 15 * 200 + 50, spans: 15 * 250 });
    expect(await store.summaries([{ tenant: "", traceId: "lasting-7" }])).toMatchObject([{ span_count: 15 }]);
    await opened.reopen();
    expect(opened.store.usage()).toMatchObject({ traces: 15 * 200 + 50, spans: 15 * 250 });
  });

  it("leave other work to the next tick if their commit took long", async () => {
    const faults: Faults = { db: undefined };
    opened = await openDurableStore({ openDatabase: openFaulty(faults), isTickedByTest: true });
    const { store, engine, clock } = opened;
    await store.append(pipelineSpans([aSpan({ trace_id: "a" })]));
    await store.flush();
    clock.advance(6000);
    await store.append(pipelineSpans([aSpan({ trace_id: "b" })]));
    clock.advance(200);
    const statements: string[] = [];
    faults.onStatement = (sql) => {
      statements.push(sql);
      if (sql === "COMMIT") clock.advance(30);
    };
    const isCheckpointed = (): boolean => statements.includes("PRAGMA wal_checkpoint(PASSIVE)");
    engine.tick();
    expect([engine.usage().pendingSpans, isCheckpointed(), engine.isBusy]).toEqual([0, false, true]);
    // Also if that tick has a long commit.
    await store.append(pipelineSpans([aSpan({ trace_id: "c" })]));
    clock.advance(200);
    engine.tick();
    expect([engine.usage().pendingSpans, isCheckpointed(), engine.isBusy]).toEqual([0, true, false]);
  });

  it("take at most 16 MiB, and the batch that exceeds it", async () => {
    opened = await openDurableStore();
    const { store, engine } = opened;
    let most = 0;
    for (let n = 0; n < 20; n++) {
      const attributes = { input_text: "x".repeat(900_000) };
      const spans = [0, 1].map((index) => aSpan({ trace_id: `t${n}-${index}`, attributes }));
      await store.append(pipelineSpans(spans));
      most = Math.max(most, engine.usage().pendingBytes);
    }
    expect(most).toBeGreaterThan(10 * 2 ** 20);
    expect(most).toBeLessThan(16 * 2 ** 20);
  });
});

/** The records of spans, as the storage thread receives them. */
function recordsOf(spans: readonly PipelineSpan[]): Buffer {
  let length = 0;
  const sink: RecordSink = {
    buffer: Buffer.alloc(2 ** 18),
    reserve(bytes) {
      length += bytes;
      return length - bytes;
    },
  };
  new RecordWriter().write(spans, {}, sink);
  return sink.buffer.subarray(0, length);
}
