import { describe, expect, it } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import type { ReceivedBatch, SpanSink } from "../../src/interfaces.js";
import { createLeafUsage } from "../../src/pipeline/leaf-usage.js";
import { LostSpans } from "../../src/pipeline/lost-spans.js";
import { createPipelines } from "../../src/pipeline/pipelines.js";
import { createSpanReader } from "../../src/pipeline/read-spans.js";
import type { Redactor } from "../../src/pipeline/redaction/redactor.js";
import { createTraceSampler } from "../../src/pipeline/trace-sampler.js";
import { createWorker } from "../../src/pipeline/worker.js";
import { createMemoryQueue } from "../../src/queue/memory-queue.js";
import { originOf, withSpan, type PipelineSpan } from "../../src/span/pipeline-span.js";
import { systemClock, type Clock } from "../../src/runtime/clock.js";

function batch(spans: Span[]): ReceivedBatch {
  return {
    parts: [
      { from: 0, context: { tenant: "", service: "shop", env: "test", version: undefined, receivedAtMs: 0 } },
    ],
    batchId: undefined,
    spanCount: spans.length,
    body: Buffer.from(JSON.stringify({ spans })),
    spans,
    generatedSpanIds: undefined,
  };
}

/** Parts of the pipeline that a test can replace. */
interface TestParts {
  readonly record?: (span: PipelineSpan) => void;
  readonly sampleRate?: number;
  readonly redact?: Redactor["redact"];
  readonly maxSpanAttributes?: number;
  readonly sinks?: readonly SpanSink[];
  readonly clock?: Pick<Clock, "monotonic">;
  readonly yieldIfDue?: () => Promise<void> | undefined;
}

function pipelineOf(parts: TestParts = {}) {
  const events: string[] = [];
  const counts = { processed: 0, dropped: 0 };
  const delivered: PipelineSpan[] = [];
  const queue = createMemoryQueue({
    capacitySpans: 10_000,
    capacityBytes: 1e9,
    softLimitPct: 80,
    hardLimitPct: 95,
    mode: "reject",
    onLevel: () => undefined,
  });
  const sink: SpanSink = {
    name: "sink",
    offer: (spans) => {
      events.push("deliver");
      delivered.push(...spans);
    },
  };
  const onError = (where: string): void => void events.push(`error in ${where}`);
  const lost = new LostSpans(() => onError("pipeline"));
  const pipelines = createPipelines({
    maxSpanAttributes: parts.maxSpanAttributes ?? 100,
    costOf: undefined,
    spanMetrics: {
      record: parts.record ?? (() => void events.push("metrics")),
      recordEvaluation: () => undefined,
    },
    counters: { sampled: () => undefined },
    lost,
    redactor: {
      redact:
        parts.redact ??
        ((span) => {
          events.push("redact");
          return span;
        }),
    },
    redactText: undefined,
    onPartial: () => void events.push("partial"),
    yieldIfDue: () => undefined,
    keep: undefined,
    keepDerived: undefined,
    sinks: parts.sinks ?? [sink],
    onError,
  });
  const worker = createWorker({
    queue,
    readSpans: createSpanReader({
      leafUsage: createLeafUsage(systemClock),
      sampler: createTraceSampler(parts.sampleRate ?? 1),
      counters: { invalidValue: () => undefined },
      lost,
      yieldIfDue: parts.yieldIfDue ?? (() => undefined),
    }),
    pipeline: pipelines.received(undefined),
    lost,
    counters: {
      processed: (spans) => (counts.processed += spans),
      dropped: (_reason, spans) => (counts.dropped += spans),
    },
    clock: parts.clock ?? systemClock,
    onError,
  });
  const drain = () => worker.drain(systemClock.monotonic() + 5000);
  return { queue, worker, events, counts, delivered, drain };
}

describe("spec 1: the order of the stages", () => {
  it("runs metrics, sampling and redaction before the sinks", async () => {
    const { queue, worker, events, drain } = pipelineOf();
    worker.start();
    queue.offer(batch([{ name: "a", trace_id: "t" }]));
    await drain();
    expect(events).toEqual(["metrics", "redact", "deliver"]);
  });

  it("takes the completion of a running span so far out before redaction, and passes it on after the sinks", async () => {
    const { queue, worker, events, counts, drain } = pipelineOf();
    worker.start();
    const start = { name: "a", trace_id: "t", span_id: "s", status: "RUNNING" };
    const partial = { ...start, attributes: { completion_partial: "so far" } };
    queue.offer(batch([partial, start]));
    await drain();
    expect(events).toEqual(["metrics", "metrics", "redact", "deliver", "partial"]);
    expect(counts.processed).toBe(2);
  });

  it("yields to the event loop between spans that it maps from OpenTelemetry", async () => {
    let turns = 0;
    const yieldIfDue = async (): Promise<void> => void turns++;
    const { queue, worker, delivered, counts, drain } = pipelineOf({ yieldIfDue });
    worker.start();
    const attributes = { "gen_ai.operation.name": "chat" };
    const otel = { name: "a", trace_id: "t", span_type: "otel:span", attributes };
    queue.offer(batch([otel, { name: "b", trace_id: "t" }, otel]));
    await drain();
    expect(turns).toBe(2);
    expect(delivered.map(({ span }) => span.span_type)).toEqual(["llm", undefined, "llm"]);
    expect(counts).toEqual({ processed: 3, dropped: 0 });
  });

  it("only counts a span whose trace is not sampled", async () => {
    const { queue, worker, events, counts, drain } = pipelineOf({ sampleRate: 0 });
    worker.start();
    queue.offer(batch([{ name: "a", trace_id: "t" }]));
    await drain();
    expect(events).toEqual(["metrics"]);
    expect(counts).toEqual({ processed: 1, dropped: 0 });
  });

  it("delivers the redacted span, and omits a span that redaction drops", async () => {
    const { queue, worker, delivered, counts, drain } = pipelineOf({
      redact: (span) =>
        span.facts.name === "bad" ? undefined : withSpan(span, { ...span.span, name: "redacted" }),
    });
    worker.start();
    queue.offer(
      batch([
        { name: "good", trace_id: "t" },
        { name: "bad", trace_id: "t" },
      ]),
    );
    await drain();
    expect(delivered.map(({ span }) => span.name)).toEqual(["redacted"]);
    expect(counts).toEqual({ processed: 2, dropped: 0 });
  });

  it("counts a span with all attributes and delivers it with capped attributes", async () => {
    const models: string[] = [];
    const { queue, worker, delivered, drain } = pipelineOf({
      maxSpanAttributes: 1,
      record: ({ facts }) => void models.push(facts.provider),
    });
    worker.start();
    queue.offer(batch([{ name: "large", trace_id: "t", attributes: { a: 1, model: "m", provider: "p" } }]));
    await drain();
    expect(models).toEqual(["p"]);
    const [large] = delivered;
    expect(large?.span.attributes).toEqual({ model: "m" });
    expect(large?.facts).toMatchObject({ model: "m", provider: "" });
  });
});

describe("the worker", () => {
  it("processes no span within the request that enqueued it", async () => {
    const { queue, worker, events, drain } = pipelineOf();
    worker.start();
    queue.offer(batch([{ name: "a", trace_id: "t" }]));
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(events).toEqual([]);
    await drain();
    expect(events).toContain("metrics");
  });

  it("counts the spans that a failing stage loses, and processes the next batch", async () => {
    let fail = true;
    const { queue, worker, counts, events, delivered, drain } = pipelineOf({
      record: () => {
        if (fail) throw new Error("broken");
      },
    });
    worker.start();
    queue.offer(
      batch([
        { name: "a", trace_id: "t" },
        { name: "b", trace_id: "t" },
      ]),
    );
    await drain();
    expect(counts).toEqual({ processed: 0, dropped: 2 });
    expect(events).toEqual(["error in pipeline", "error in pipeline"]);
    fail = false;
    queue.offer(batch([{ name: "c", trace_id: "t" }]));
    await drain();
    expect(counts).toEqual({ processed: 1, dropped: 2 });
    expect(delivered).toHaveLength(1);
  });

  it("offers spans to the other sinks when one sink fails", async () => {
    const got: string[] = [];
    const { queue, worker, events, drain } = pipelineOf({
      sinks: [
        {
          name: "broken sink",
          offer: () => {
            throw new Error("full");
          },
        },
        { name: "second", offer: () => void got.push("second") },
      ],
    });
    worker.start();
    queue.offer(batch([{ name: "a", trace_id: "t" }]));
    await drain();
    expect(got).toEqual(["second"]);
    expect(events).toContain("error in broken sink");
  });

  it("loses only the span that a stage fails on", async () => {
    const { queue, worker, counts, delivered, drain } = pipelineOf({
      record: ({ facts }) => {
        if (facts.name === "bad") throw new Error("broken");
      },
    });
    worker.start();
    queue.offer(batch(["a", "bad", "c"].map((name) => ({ name, trace_id: "t" }))));
    await drain();
    expect(counts).toEqual({ processed: 2, dropped: 1 });
    expect(delivered.map(({ facts }) => facts.name)).toEqual(["a", "c"]);
  });

  it("recognizes a wrapper whose call comes in a later lease of the same batch", async () => {
    const { queue, worker, delivered, drain } = pipelineOf();
    worker.start();
    const filler = Array.from({ length: 600 }, (_, index) => ({
      name: "x",
      trace_id: "t",
      span_id: `f${index}`,
    }));
    const wrapper = { name: "wrapper", trace_id: "t", span_id: "w", span_type: "llm" };
    const call = { name: "call", trace_id: "t", span_id: "c", span_type: "llm", parent_span_id: "w" };
    queue.offer(batch([wrapper, ...filler, call]));
    await drain();
    expect(delivered).toHaveLength(602);
    const counting = delivered.filter(({ facts, countsUsage }) => facts.spanType === "llm" && countsUsage);
    expect(counting.map(({ facts }) => facts.name)).toEqual(["call"]);
    expect(delivered.map((span) => originOf(span).index)).toEqual(delivered.map((_, index) => index));
  });

  it("processes each full lease between requests that arrive in one turn of the event loop", async () => {
    const { queue, worker, counts, drain } = pipelineOf();
    const spans = Array.from({ length: 100 }, (_, index) => ({ name: "a", trace_id: `t${index}` }));
    let mostWaiting = 0;
    worker.start();
    const turn = { isOver: false };
    const immediate = setImmediate(() => (turn.isOver = true));
    for (let request = 0; request < 50; request++) {
      queue.offer(batch(spans));
      mostWaiting = Math.max(mostWaiting, queue.usage().spans);
      // Ends the callback of one socket; the next callback runs in the same turn.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    expect(turn.isOver).toBe(false);
    expect(mostWaiting).toBeLessThanOrEqual(600);
    clearImmediate(immediate);
    await drain();
    expect(counts.processed).toBe(5000);
  });

  it("yields to the event loop while many spans are queued", async () => {
    // Each look at the clock takes a millisecond, on a machine of any speed.
    let nowMs = 0;
    const { queue, worker, drain } = pipelineOf({ clock: { monotonic: () => nowMs++ } });
    const spans = Array.from({ length: 9000 }, (_, index) => ({ name: "a", trace_id: `t${index}` }));
    queue.offer(batch(spans));
    let turns = 0;
    let next = setImmediate(function count() {
      turns++;
      next = setImmediate(count);
    });
    worker.start();
    await drain();
    clearImmediate(next);
    expect(turns).toBeGreaterThan(4);
  });

  it("takes no spans after stop, which is safe to call twice", async () => {
    const { queue, worker, counts } = pipelineOf();
    worker.start();
    await worker.stop(Infinity);
    await worker.stop(Infinity);
    queue.offer(batch([{ name: "a", trace_id: "t" }]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(counts.processed).toBe(0);
    expect(queue.usage().spans).toBe(1);
  });

  it("stops draining at the deadline", async () => {
    const { queue, worker } = pipelineOf();
    queue.offer(batch([{ name: "a", trace_id: "t" }]));
    await worker.drain(systemClock.monotonic() + 30);
    expect(queue.usage().spans).toBe(1);
  });
});
