import type { Span } from "@obspan/sdk/wire";
import { hashesOf, type SpanHashes } from "../hashing/span-hashes.js";
import { contentFlagsOf } from "./content-flags.js";
import { haveEqualFactSources, readSpanFacts, type BatchContext, type SpanFacts } from "./span-facts.js";

/** The bytes of a received batch. */
export interface BatchBytes {
  /** The decompressed JSON of the batch (`{"spans":[…]}`). The queue charges its length. */
  readonly body: Buffer;
  readonly spanCount: number;
}

/**
 * A span in the pipeline. Stages never modify it: {@link withSpan} returns a copy with a changed span, and is the only way
 * to change one.
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
   * False for a wrapper that repeats the usage of an inner call: it feeds no token or cost metric and does not count as a
   * call (contract 6).
   */
  readonly countsUsage: boolean;
  /** Origin of the span. Written once; opaque to stages. */
  readonly origin: SpanOrigin;
}

/** Origin of a pipeline span, read by {@link originOf}. */
export interface SpanOrigin {
  readonly [opaque]: never;
}

declare const opaque: unique symbol;

/** Fields of an origin. The trace store keeps the received bytes of spans that no stage changed. */
export interface OriginFields {
  /** The batch of the span; undefined for a span that the collector created. */
  readonly batch: BatchBytes | undefined;
  /** The position of the span in its batch. */
  readonly index: number;
  /** The span in the bytes of the batch. `span !== received` if a stage changed it. */
  readonly received: Span;
  /** The generated id of a span that arrived without a valid one. */
  readonly generatedSpanId: string | undefined;
  readonly hashes: SpanHashes;
}

/** Input of {@link createPipelineSpan}. */
export interface PipelineSpanSource {
  readonly span: Span;
  /** The span in the bytes of the batch, where it is not `span`. */
  readonly received?: Span | undefined;
  readonly facts: SpanFacts;
  readonly context: BatchContext;
  readonly batch?: BatchBytes | undefined;
  readonly index?: number;
  readonly generatedSpanId?: string | undefined;
  /** Default: the hashes of this process. */
  readonly hashes?: SpanHashes;
}

/** Decisions about a span when it enters the pipeline. */
export interface SpanDecisions {
  isSampled(facts: SpanFacts): boolean;
  countsUsage(facts: SpanFacts, hashes: SpanHashes): boolean;
}

/** Creates a pipeline span from a received span. */
export function createPipelineSpan(source: PipelineSpanSource, decisions: SpanDecisions): PipelineSpan {
  const { span, received = span, facts, context, batch, index = 0, generatedSpanId } = source;
  const hashes = source.hashes ?? hashesOf(context.tenant, facts);
  const origin: OriginFields = { batch, index, received, generatedSpanId, hashes };
  return {
    span,
    facts,
    context,
    isSampled: decisions.isSampled(facts),
    countsUsage: decisions.countsUsage(facts, hashes),
    origin: origin as unknown as SpanOrigin,
  };
}

/** Reads the origin of a span. */
export function originOf({ origin }: PipelineSpan): OriginFields {
  return origin as unknown as OriginFields;
}

/**
 * Returns a pipeline span with a changed span and updated facts. Store, export, live feed and search see the change.
 *
 * @param changed - shares unchanged values with the previous span, since the store finds differences by identity.
 * @returns the same pipeline span if nothing changed.
 * @throws TypeError if an id differs.
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
  if (haveEqualFactSources(span, changed)) {
    const contentFlags = contentFlagsOf(changed);
    if (contentFlags === facts.contentFlags) return { ...pipelineSpan, span: changed };
    return { ...pipelineSpan, span: changed, facts: { ...facts, contentFlags } };
  }
  const before = readSpanFacts(span, context, facts.spanId, ignore);
  const after = readSpanFacts(changed, context, facts.spanId, ignore);
  return { ...pipelineSpan, span: changed, facts: { ...facts, ...differences(before, after) } };
}

/**
 * Sets the cost that the collector computed, before any other stage has seen the span, which itself stays as received. The facts
 * are changed in place: copies would take several times as long as the price.
 */
export function setComputedCost({ facts }: PipelineSpan, costUsd: number): void {
  const ownFacts: { -readonly [Key in keyof SpanFacts]: SpanFacts[Key] } = facts;
  ownFacts.costUsd = costUsd;
  ownFacts.costSource = "computed";
}

/** Only the changed facts: a span that the collector created has facts that its fields do not have. */
function differences(before: SpanFacts, after: SpanFacts): Partial<SpanFacts> {
  const keys = Object.keys(after) as (keyof SpanFacts)[];
  return Object.fromEntries(keys.filter((key) => after[key] !== before[key]).map((key) => [key, after[key]]));
}

/** Invalid values were counted when the span entered the pipeline. */
function ignore(): void {}
