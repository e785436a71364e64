import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore } from "./durable-store.js";

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
