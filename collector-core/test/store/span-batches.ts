import type { Span } from "@obspan/sdk/wire";
import type { Clock } from "../../src/runtime/clock.js";
import { createPipelineSpan, type PipelineSpan } from "../../src/span/pipeline-span.js";
import { readSpanFacts, type BatchContext } from "../../src/span/span-facts.js";

/** A clock that stands still until it is told otherwise. */
export class FakeClock implements Clock {
  wallMs = Date.UTC(2026, 0, 1);
  monotonicMs = 1000;

  now(): number {
    return this.wallMs;
  }

  monotonic(): number {
    return this.monotonicMs;
  }

  /** Both clocks go on. */
  advance(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
  }
}

/** What a batch of a test says beside its spans. */
export interface BatchOptions extends Partial<BatchContext> {
  /** False: the pipeline knows these spans for wrappers. */
  readonly countsUsage?: boolean;
  /** As the collector makes them: the spans have no bytes of their own. */
  readonly withoutJson?: boolean;
  readonly generatedSpanIds?: readonly (string | undefined)[];
}

/** Spans as they come out of the pipeline, from the bytes of a batch. */
export function pipelineSpans(spans: readonly Span[], options: BatchOptions = {}): PipelineSpan[] {
  return fromBody(Buffer.from(JSON.stringify({ spans })), options);
}

/** The same, from bytes written by hand. */
export function fromBody(body: Buffer, options: BatchOptions = {}): PipelineSpan[] {
  const context: BatchContext = {
    tenant: options.tenant ?? "",
    service: options.service ?? "shop",
    env: options.env ?? "production",
    version: options.version,
    receivedAtMs: options.receivedAtMs ?? Date.UTC(2026, 0, 1),
  };
  const { spans } = JSON.parse(body.toString()) as { spans: Span[] };
  const batch = options.withoutJson === true ? undefined : { body, spanCount: spans.length };
  const decisions = { isSampled: () => true, countsUsage: () => options.countsUsage ?? true };
  return spans.map((span, index) => {
    const generatedSpanId = options.generatedSpanIds?.[index];
    const facts = readSpanFacts(span, context, generatedSpanId, () => undefined);
    return createPipelineSpan({ span, facts, context, batch, index, generatedSpanId }, decisions);
  });
}

let spanNumber = 0;

/** A span with what every span of a test needs; ids grow. */
export function aSpan(fields: Partial<Span> = {}): Span {
  spanNumber++;
  return {
    name: `span ${spanNumber}`,
    trace_id: "trace",
    span_id: `id-${spanNumber}`,
    start_time: "2026-01-01T00:00:00.000Z",
    duration_ms: 10,
    ...fields,
  };
}

/** A model call of 100 tokens in, 10 out, for a cent. */
export function aModelCall(fields: Partial<Span> = {}): Span {
  return aSpan({
    span_type: "llm",
    ...fields,
    attributes: {
      model: "small",
      tokens_input: 100,
      tokens_output: 10,
      cost_usd: 0.01,
      ...fields.attributes,
    },
  });
}

/** A score of a judge. */
export function anEvaluation(type: string, score: number, fields: Partial<Span> = {}): Span {
  return aSpan({
    name: `evaluation.${type}`,
    span_type: "evaluation",
    ...fields,
    attributes: { evaluation_type: type, evaluation_score: score, ...fields.attributes },
  });
}
