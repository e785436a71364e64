import { afterEach, describe, expect, it } from "vitest";
import { aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore } from "./durable-store.js";

const USUAL_BYTES = 2 ** 20;
const MAX_BYTES = 4 * USUAL_BYTES;
const TRACES = 100;

describe("the memory of open traces", () => {
  let opened: DurableStore | undefined;

  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  /** Each trace receives one span of about 600 bytes. */
  async function appendRound({ store }: DurableStore, round: number): Promise<void> {
    const attributes = { input_text: `${round} `.repeat(200), output_text: `${round} `.repeat(200) };
    await store.append(
      pipelineSpans(
        Array.from({ length: TRACES }, (_, n) =>
          aSpan({ trace_id: `trace-${n}`, span_id: `s${round}`, attributes }),
        ),
      ),
    );
  }

  it("grows while traces that receive spans come back from the file, and shrinks a minute later", async () => {
    opened = await openDurableStore({
      maxSpansPerTrace: 10_000,
      maxBufferBytes: MAX_BYTES,
      usualBufferBytes: () => USUAL_BYTES,
    });
    let largest = 0;
    for (let round = 0; round < 60; round++) {
      await appendRound(opened, round);
      largest = Math.max(largest, opened.engine.usage().memoryBytes);
    }
    // All 6,000 spans fit into the larger limit: they are no longer left to the file.
    expect(largest).toBeGreaterThan(2 * USUAL_BYTES);
    expect(largest).toBeLessThan(MAX_BYTES);

    opened.clock.advance(60_001);
    await opened.store.append(pipelineSpans([aSpan({ trace_id: "last" })]));
    await opened.store.flush();
    expect(opened.engine.usage().memoryBytes).toBeLessThan(USUAL_BYTES);
    expect((await opened.store.list({ limit: 1000 })).traces).toHaveLength(TRACES + 1);
  });

  it("never exceeds the larger limit by more than a batch", async () => {
    opened = await openDurableStore({
      maxSpansPerTrace: 10_000,
      maxBufferBytes: 2 * USUAL_BYTES,
      usualBufferBytes: () => USUAL_BYTES,
    });
    for (let round = 0; round < 40; round++) {
      await appendRound(opened, round);
      await opened.store.flush();
      expect(opened.engine.usage().memoryBytes).toBeLessThan(2.5 * USUAL_BYTES);
    }
    const [summary] = await opened.store.summaries([{ tenant: "", traceId: "trace-7" }]);
    expect(summary?.span_count).toBe(40);
  });
});
