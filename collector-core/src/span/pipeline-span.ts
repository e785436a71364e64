import type { Span } from "@obspan/sdk/wire";
import { hashesOf, type SpanHashes } from "../hashing/span-hashes.js";
import { haveEqualFactSources, readSpanFacts, type BatchContext, type SpanFacts } from "./span-facts.js";

/** The bytes that spans arrived in together. */
export interface BatchBytes {
  /** The JSON of the batch (`{"spans":[…]}`) as received, after decompression: what the queue is charged for. */
  readonly body: Buffer;
  readonly spanCount: number;
}

/**
 * A span on its way through the pipeline. Stages never modify one: {@link withSpan} returns it with another span, and is
 * the only way to change what it says.
 */
export interface PipelineSpan {
  /** As received, until a stage changes it. */
  readonly span: Span;
  /** Read from `span`. */
  readonly facts: SpanFacts;
  readonly context: BatchContext;
  /** The sampling decision for its trace (spec 4.9 rule 1). */
  readonly isSampled: boolean;
  /**
   * False for a wrapper that repeats the usage of the inference inside it: it feeds no token or cost metric, and is
   * not counted as a call (contract 6).
   */
  readonly countsUsage: boolean;
  /** Where it comes from. Written once; opaque to stages. */
  readonly origin: SpanOrigin;
}

/** Where a pipeline span comes from: {@link originOf} reads it. */
export interface SpanOrigin {
  readonly [opaque]: never;
}

declare const opaque: unique symbol;

/** What an origin says: for the trace store, which keeps the received bytes of what no stage has changed. */
export interface OriginFields {
  /** The batch that the span arrived in; undefined for a span that the collector made. */
  readonly batch: BatchBytes | undefined;
  /** The position of the span in its batch. */
  readonly index: number;
  /** What the bytes of the batch say. `span !== received` where a stage has changed it. */
  readonly received: Span;
  /** The id that the collector generated, where the span arrived without a usable one. */
  readonly generatedSpanId: string | undefined;
  readonly hashes: SpanHashes;
}

/** What {@link createPipelineSpan} is given: a span, and what is known beside it. */
export interface PipelineSpanSource {
  readonly span: Span;
  readonly facts: SpanFacts;
  readonly context: BatchContext;
  readonly batch?: BatchBytes | undefined;
  readonly index?: number;
  readonly generatedSpanId?: string | undefined;
}

/** What the pipeline decides about a span when it enters. */
export interface SpanDecisions {
  isSampled(facts: SpanFacts): boolean;
  countsUsage(facts: SpanFacts, hashes: SpanHashes): boolean;
}

/** Begins the way of a span through the pipeline. */
export function createPipelineSpan(source: PipelineSpanSource, decisions: SpanDecisions): PipelineSpan {
  const { span, facts, context, batch, index = 0, generatedSpanId } = source;
  const hashes = hashesOf(context.tenant, facts);
  const origin: OriginFields = { batch, index, received: span, generatedSpanId, hashes };
  return {
    span,
    facts,
    context,
    isSampled: decisions.isSampled(facts),
    countsUsage: decisions.countsUsage(facts, hashes),
    origin: origin as unknown as SpanOrigin,
  };
}

/** Reads where a span comes from. */
export function originOf({ origin }: PipelineSpan): OriginFields {
  return origin as unknown as OriginFields;
}

/**
 * Changes what a pipeline span says: its facts follow, and store, export, live feed and search see the change.
 *
 * @param changed - shares with the span before what has not changed: the store finds differences by identity.
 * @returns the same pipeline span where nothing changed.
 * @throws TypeError where an id differs: a span cannot move to another trace or become another span.
 */
export function withSpan(pipelineSpan: PipelineSpan, changed: Span): PipelineSpan {
  const { span, facts, context } = pipelineSpan;
  if (changed === span) return pipelineSpan;
  if (
    changed.trace_id !== span.trace_id ||
    changed.span_id !== span.span_id ||
    changed.parent_span_id !== span.parent_span_id
  )
    throw new TypeError("A stage must not change trace_id, span_id or parent_span_id.");
  if (haveEqualFactSources(span, changed)) return { ...pipelineSpan, span: changed };
  const before = readSpanFacts(span, context, facts.spanId, ignore);
  const after = readSpanFacts(changed, context, facts.spanId, ignore);
  return { ...pipelineSpan, span: changed, facts: { ...facts, ...differences(before, after) } };
}

/** A span that the collector made has facts that it does not say itself: they stay. */
function differences(before: SpanFacts, after: SpanFacts): Partial<SpanFacts> {
  const keys = Object.keys(after) as (keyof SpanFacts)[];
  return Object.fromEntries(keys.filter((key) => after[key] !== before[key]).map((key) => [key, after[key]]));
}

/** Values that cannot be used were counted when the span entered the pipeline. */
function ignore(): void {}
