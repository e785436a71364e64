import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createMemoryTraceStore } from "../../../src/store/memory/memory-trace-store.js";
import type { TraceStore } from "../../../src/interfaces.js";
import { aSpan, FakeClock, pipelineSpans } from "../span-batches.js";

const MEBIBYTE = 2 ** 20;
const MAX_BYTES = 2 * MEBIBYTE;
/** Written in each test: more than the store may hold and the slack together. */
const WRITTEN_BYTES = 3 * MAX_BYTES;
/** Bodies of the last batches, and buffers of the test runner. */
const SLACK_BYTES = 3 * MEBIBYTE;

/** Spans of one trace with a text of this length each, stored in one batch. */
interface Batch {
  readonly spans: number;
  readonly textLength: number;
}

/** Stored whole, stored span by span in shared segments, and stored in segments of their own. */
const BATCHES: readonly Batch[] = [
  { spans: 20, textLength: 300 },
  { spans: 1, textLength: 3000 },
  { spans: 20, textLength: 10_000 },
  { spans: 2, textLength: 300_000 },
];

/** Each way by which spans leave the store while others arrive. */
const DEPARTURES: Readonly<Record<string, (store: TraceStore, clock: FakeClock, n: number) => unknown>> = {
  "the oldest are evicted": () => undefined,
  "each is removed by a client": (store, _clock, n) => store.remove({ tenant: "", traceId: `t${n}` }),
  "each expires": (_store, clock) => clock.advance(1000),
  "all are cleared from time to time": (store, _clock, n) => (n % 10 === 9 ? store.clear() : undefined),
};

describe("the array buffers that the memory trace store holds", () => {
  const cases = BATCHES.flatMap((batch) =>
    Object.entries(DEPARTURES).map(([how, leave]) => ({ ...batch, how, leave })),
  );

  it.each(cases)(
    "are those it accounts for, after batches of $spans × $textLength characters when $how",
    async ({ spans, textLength, leave }) => {
      const clock = new FakeClock();
      const store = createMemoryTraceStore({
        maxTraces: 500_000,
        maxSpansPerTrace: 500,
        ttlSeconds: 5,
        maxBytes: MAX_BYTES,
        clock,
      });
      const before = arrayBufferBytes();
      for (let n = 0; n < WRITTEN_BYTES / (spans * textLength); n++) {
        await store.append(pipelineSpans(Array.from({ length: spans }, () => span(`t${n}`, textLength))));
        await leave(store, clock, n);
      }
      const held = arrayBufferBytes() - before;
      expect(store.usage().memoryBytes).toBeLessThanOrEqual(MAX_BYTES);
      expect(held).toBeLessThan(store.usage().memoryBytes + SLACK_BYTES);
    },
  );

  it("are those it accounts for, after a span was replaced many times", async () => {
    const store = createMemoryTraceStore({
      maxTraces: 10,
      maxSpansPerTrace: 500,
      ttlSeconds: 0,
      maxBytes: MAX_BYTES,
      clock: new FakeClock(),
    });
    const before = arrayBufferBytes();
    for (let n = 0; n < WRITTEN_BYTES / 10_000; n++)
      await store.append(pipelineSpans([{ ...span("same", 10_000), span_id: "same" }]));
    expect(arrayBufferBytes() - before).toBeLessThan(store.usage().memoryBytes + SLACK_BYTES);
  });
});

function span(traceId: string, textLength: number) {
  return aSpan({ trace_id: traceId, attributes: { prompt_text: "x".repeat(textLength) } });
}

/** Bytes of all array buffers that are still referenced. */
function arrayBufferBytes(): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
