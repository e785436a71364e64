import type { Span } from "@obspan/sdk/wire";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withSpan, type PipelineSpan } from "../../src/span/pipeline-span.js";
import { createMemoryTraceStore } from "../../src/store/memory/memory-trace-store.js";
import { NaiveTraceStore } from "./naive-trace-store.js";
import { spansOf } from "./read-trace.js";
import { FakeClock, pipelineSpans } from "./span-batches.js";

const MAX_TRACES = 12;
const TTL_SECONDS = 100;

const idsOfTraces = (count: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: count - 1 }).map((n) => `trace-${n}`);

/** Spans of few ids, so that they are replaced often, and of many sizes, so that segments fill and empty. */
const spansOfFewIds = (traceIds: fc.Arbitrary<string>, idCount: number): fc.Arbitrary<Span> =>
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 20 }),
    trace_id: traceIds,
    span_id: fc.integer({ min: 0, max: idCount - 1 }).map((n) => `span-${n}`),
    status: fc.constantFrom("OK", "ERROR", "RUNNING"),
    start_time: fc.constant("2026-01-01T00:00:00Z"),
    attributes: fc.record({
      tokens_input: fc.nat(1000),
      prompt_text: fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 100 }),
        fc.nat(3000).map((length) => "x".repeat(length)),
      ),
    }),
  });

interface Sizes {
  readonly traceCount: number;
  readonly spanIds: number;
  readonly maxBatch: number;
  readonly maxSpansPerTrace: number;
}

const stepsOf = ({ traceCount, spanIds, maxBatch }: Sizes) => {
  const traceIds = idsOfTraces(traceCount);
  const spans = spansOfFewIds(traceIds, spanIds);
  return fc.oneof(
    { weight: 12, arbitrary: fc.record({ append: fc.array(spans, { minLength: 1, maxLength: maxBatch }) }) },
    { weight: 2, arbitrary: fc.record({ remove: traceIds }) },
    { weight: 2, arbitrary: fc.record({ advanceMs: fc.constantFrom(1, 60, 20_000, 60_000) }) },
    { weight: 1, arbitrary: fc.record({ clear: fc.constant(true) }) },
  );
};

/** Changes about a tenth of the spans, as a stage of the pipeline does. */
function changeShort(span: PipelineSpan): PipelineSpan {
  const text = span.span.attributes?.["prompt_text"];
  if (typeof text !== "string" || text.length % 10 !== 0) return span;
  const attributes = { ...span.span.attributes, prompt_text: `[${"é".repeat(text.length % 70)}]` };
  return withSpan(span, { ...span.span, attributes });
}

describe("the memory trace store beside a naive one", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<[string, Sizes]>([
    ["short traces", { traceCount: 21, spanIds: 10, maxBatch: 12, maxSpansPerTrace: 6 }],
    ["long traces", { traceCount: 3, spanIds: 120, maxBatch: 60, maxSpansPerTrace: 50 }],
  ])(
    "spec 4.9 rule 2: holds the same %s after any sequence of steps",
    async (_, sizes) => {
      const { maxSpansPerTrace } = sizes;
      await fc.assert(
        fc.asyncProperty(fc.array(stepsOf(sizes), { minLength: 20, maxLength: 60 }), async (sequence) => {
          vi.useFakeTimers();
          const clock = new FakeClock();
          const naive = new NaiveTraceStore(MAX_TRACES, maxSpansPerTrace, TTL_SECONDS * 1000);
          const store = createMemoryTraceStore({
            maxTraces: MAX_TRACES,
            maxSpansPerTrace,
            ttlSeconds: TTL_SECONDS,
            maxBytes: 2 ** 24,
            clock,
            segmentBytes: 8192,
            loopUtilization: () => 0,
          });
          await store.start();
          for (const step of sequence) {
            if ("append" in step) {
              const redacted = pipelineSpans(step.append).map(changeShort);
              await store.append(redacted);
              for (const { span } of redacted) naive.append(span, clock.monotonic());
            } else if ("remove" in step) {
              naive.expire(clock.monotonic());
              expect(await store.remove({ tenant: "", traceId: step.remove })).toBe(
                naive.remove(step.remove),
              );
            } else if ("advanceMs" in step) {
              clock.advance(step.advanceMs);
              // What the store does by itself meanwhile changes no answer.
              vi.advanceTimersByTime(Math.min(step.advanceMs, 1000));
              naive.expire(clock.monotonic());
            } else {
              await store.clear();
              naive.clear();
            }
            const { traces } = await store.list({ limit: 1000 });
            expect(traces).toMatchObject(naive.summaries());
            // A summary is read from the spans each time; what traces are filtered and counted by is kept.
            for (const status of ["OK", "ERROR", "RUNNING"]) {
              const expected = traces.filter((trace) => trace.status === status);
              expect((await store.list({ status, limit: 1000 })).traces).toEqual(expected);
              expect((await store.facets({ status })).total).toBe(expected.length);
            }
          }
          await store.stop();
          for (const trace of naive.traces) {
            const stored = await store.get({ tenant: "", traceId: trace.id });
            // Equal starts: the order is that of arrival.
            expect(await spansOf(stored)).toMatchObject(
              trace.spans.map(({ span_id, name, status, attributes }) => ({
                span_id,
                name,
                status,
                attributes,
              })),
            );
          }
          expect(store.usage().spans).toBe(naive.traces.reduce((sum, trace) => sum + trace.spans.length, 0));
        }),
        { seed: 20260101, numRuns: 100 },
      );
    },
    60_000,
  );
});
