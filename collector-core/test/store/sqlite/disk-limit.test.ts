import { statSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore } from "./durable-store.js";

const MEBIBYTE = 2 ** 20;
/** Random characters do not compress to less than three quarters. */
const TEXT = randomText(MEBIBYTE);

describe("the disk limit of a durable store", () => {
  let opened: DurableStore | undefined;

  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  it("evicts as many of the oldest traces as exceed it, however large they are", async () => {
    opened = await openDurableStore({ diskMaxBytes: 16 * MEBIBYTE });
    const { store, engine, clock } = opened;
    for (let n = 0; n < 30; n++) {
      await store.append(
        pipelineSpans([aSpan({ trace_id: `trace-${n}`, attributes: { prompt_text: TEXT } })]),
      );
      await store.flush();
      clock.advance(1001);
      for (let step = 0; step < 20; step++) engine.tick();
      await store.flush();
    }
    const { traces, evicted } = store.usage();
    expect(evicted.disk_max_bytes).toBeGreaterThan(0);
    // A trace takes three quarters of a mebibyte; a full step of the limit would leave none.
    expect(traces).toBeGreaterThan(12);
    expect(traces + evicted.disk_max_bytes).toBe(30);
    const { traces: listed } = await store.list({ limit: 1000 });
    expect(listed[0]?.trace_id).toBe("trace-29");
  });

  it("counts the log, and copies a large one into the file before it evicts any trace", async () => {
    const diskMaxBytes = 28 * MEBIBYTE;
    opened = await openDurableStore({ diskMaxBytes });
    const { store, engine, clock, path } = opened;
    let mostLogBytes = 0;
    for (let n = 0; n < 28; n++) {
      const attributes = { prompt_text: TEXT };
      await store.append(pipelineSpans([aSpan({ trace_id: `trace-${n}`, attributes })]));
      await store.flush();
      mostLogBytes = Math.max(mostLogBytes, statSync(`${path}-wal`).size);
      clock.advance(1001);
      engine.tick();
      await store.flush();
      expect(store.usage().diskBytes).toBeLessThanOrEqual(diskMaxBytes);
    }
    expect(mostLogBytes).toBeGreaterThan(5 * MEBIBYTE);
    expect(store.usage()).toMatchObject({ traces: 28, evicted: { disk_max_bytes: 0 } });
  });
});

function randomText(length: number): string {
  const bytes = Buffer.allocUnsafe(length);
  let state = 88172645;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[at] = 0x30 + ((state >>> 24) % 64);
  }
  return bytes.toString("latin1").replaceAll("\\", "_");
}
