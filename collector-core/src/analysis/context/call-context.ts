import type {
  CacheBreak,
  CallContext,
  ContextCall,
  ContextDuplicate,
  ModelPrices,
} from "../../api-schema/context.js";
import type { NormalizedSpan } from "../../api-schema/trace.js";
import { callFacts, type CallFacts } from "./call-facts.js";
import { CallHistory, type ReadCall } from "./call-history.js";
import { agentCallsOf, outlineOf, type AgentCalls, type SpanOutline } from "./call-outline.js";
import { tokensOf } from "./context-piece.js";
import { diffLines, diffTools } from "./diff-lines.js";
import { duplicatesIn, type FoundDuplicate } from "./duplicates.js";
import { KnownTexts } from "./known-texts.js";
import { PieceReader } from "./read-pieces.js";
import { runSteps, type Steps } from "../in-steps.js";
import { windowParts } from "./window-parts.js";

/** What a model costs, in USD per million tokens, and how much it reads, as far as it is known. */
export interface ModelFacts {
  readonly input_per_1m?: number;
  readonly cached_input_per_1m?: number;
  readonly cache_write_per_1m?: number;
  readonly output_per_1m?: number;
  readonly reasoning_per_1m?: number;
  readonly context_window?: number;
}

/** Looks up a model in the price table. */
export type FindModel = (model: string) => ModelFacts | undefined;

/** Calls whose texts are read: those before the call, and those after it. */
const CALLS_BEFORE = 149;
const CALLS_AFTER = 50;
const NO_SPANS: readonly SpanOutline[] = [];

/**
 * Reads the context of a model call from the spans of its trace, which come one after the other: a trace may be larger than what
 * fits into memory. Long work is done in steps.
 */
export class ContextReader {
  /** Ids of the spans that {@link add} needs; others may be left out. */
  readonly needed: ReadonlySet<string>;
  readonly #agentCalls: AgentCalls;
  readonly #facts: readonly CallFacts[];
  readonly #findModel: FindModel;
  readonly #known = new KnownTexts();
  readonly #reader = new PieceReader(this.#known);
  readonly #history = new CallHistory();
  /** The calls by the id of each of their spans. */
  readonly #callOfSpan = new Map<string, number>();
  /** The spans of each call, from inside. */
  readonly #spansOf = new Map<number, readonly SpanOutline[]>();
  /** Spans of calls that wait for a wrapper. */
  readonly #waiting = new Map<number, Map<string, NormalizedSpan>>();
  readonly #calls = new Map<number, ContextCall>();
  #target: ReadCall | undefined;

  /** Made by {@link create}. */
  constructor(
    agentCalls: AgentCalls,
    facts: readonly CallFacts[],
    sources: readonly SpanOutline[],
    findModel: FindModel,
  ) {
    this.#agentCalls = agentCalls;
    this.#facts = facts;
    this.#findModel = findModel;
    for (const index of this.#near()) {
      const { span, wrappers } = agentCalls.calls[index] ?? agentCalls.target;
      const spans = [span, ...wrappers];
      this.#spansOf.set(index, spans);
      for (const { id } of spans) this.#callOfSpan.set(id, index);
    }
    this.needed = new Set([...this.#callOfSpan.keys(), ...sources.map(({ id }) => id)]);
  }

  /** @returns undefined if the span is no model call. */
  static *create(
    outlines: readonly SpanOutline[],
    spanId: string,
    findModel: FindModel,
  ): Steps<ContextReader | undefined> {
    const agentCalls = yield* agentCallsOf(outlines, spanId);
    if (agentCalls === undefined) return undefined;
    const facts = yield* callFacts(agentCalls.calls);
    const sources = outlines.filter(({ isSource }) => isSource);
    return new ContextReader(agentCalls, facts, sources, findModel);
  }

  /** Whether a span belongs to the call itself. */
  isTarget(spanId: string): boolean {
    const index = this.#callOfSpan.get(spanId);
    return index !== undefined && this.#agentCalls.calls[index] === this.#agentCalls.target;
  }

  /** @param span - in order of start. */
  *add(span: NormalizedSpan): Steps<void> {
    const index = this.#callOfSpan.get(span.span_id);
    if (index === undefined) {
      this.#known.add(span);
      return;
    }
    const outlines = this.#spansOf.get(index) ?? NO_SPANS;
    const spans = this.#waiting.get(index) ?? new Map<string, NormalizedSpan>();
    spans.set(span.span_id, span);
    this.#waiting.set(index, spans);
    if (spans.size < outlines.length) return;
    this.#waiting.delete(index);
    yield* this.#read(
      index,
      outlines.flatMap(({ id }) => spans.get(id) ?? []),
    );
  }

  /** The context of the call, from what was added. */
  *finish(): Steps<CallContext> {
    for (const [index, spans] of this.#waiting) yield* this.#read(index, [...spans.values()]);
    this.#waiting.clear();
    const { target, calls, agent } = this.#agentCalls;
    const position = calls.indexOf(target);
    const { model } = this.#facts[position] ?? {};
    const facts = model === undefined ? undefined : this.#findModel(model);
    const read = this.#target;
    const { tokens, isReported } = inputTokens(read, this.#facts[position]);
    const duplicates = yield* this.#duplicates(read);
    const cached = this.#facts[position]?.cached ?? null;
    return {
      span_id: target.span.id,
      model: model ?? null,
      agent: agent ?? null,
      call: position + 1,
      calls_total: calls.length,
      window_tokens: facts?.context_window ?? null,
      prices: facts === undefined ? null : pricesOf(facts),
      tokens,
      tokens_reported: isReported,
      tokens_cached: cached,
      parts: windowParts(read?.pieces ?? [], tokens, duplicates),
      calls: this.#near().map((index) => this.#calls.get(index) ?? this.#contextCall(index, undefined)),
      compared_with: read?.before?.call.facts.span.id ?? null,
      cache_break: read === undefined ? null : this.#cacheBreak(read, facts),
      duplicates: duplicates.map((duplicate) =>
        priced(duplicate, read?.pieces ?? [], read?.scale ?? 1, cached ?? 0, facts),
      ),
    };
  }

  *#read(index: number, spans: readonly NormalizedSpan[]): Steps<void> {
    const facts = this.#facts[index];
    if (facts === undefined) return;
    const pieces = yield* this.#reader.read(spans);
    const call = yield* this.#history.add(facts, pieces);
    this.#calls.set(index, this.#contextCall(index, call));
    if (this.#agentCalls.calls[index] === this.#agentCalls.target) this.#target = call;
  }

  /** The calls whose texts are read. */
  #near(): readonly number[] {
    const { calls, target } = this.#agentCalls;
    const position = calls.indexOf(target);
    const from = Math.max(0, position - CALLS_BEFORE);
    const to = Math.min(calls.length, position + 1 + CALLS_AFTER);
    return Array.from({ length: to - from }, (_, index) => from + index);
  }

  #contextCall(index: number, read: ReadCall | undefined): ContextCall {
    const facts = this.#facts[index];
    const { tokens, isReported } = inputTokens(read, facts);
    const again = read?.before?.tokensAgain ?? (read === undefined || read.before !== undefined ? null : 0);
    const price = surcharge(facts?.model === undefined ? undefined : this.#findModel(facts.model));
    const cost = facts?.cost;
    return {
      span_id: facts?.span.id ?? "",
      name: facts?.span.name ?? "",
      call: index + 1,
      start_ms: facts?.startMs ?? 0,
      running: facts?.endMs === undefined,
      tokens,
      tokens_reported: isReported,
      tokens_cached: facts?.cached ?? null,
      tokens_again: again,
      again_cost_usd: again === null || price === undefined ? null : dollars(again * price),
      cause: read?.before?.cause ?? null,
      cost_usd: cost?.usd ?? null,
      cost_source: cost === undefined ? null : cost.isComputed ? "computed" : "reported",
      ttft_ms: facts?.ttftMs ?? null,
    };
  }

  #cacheBreak({ facts, before, scale, pieces }: ReadCall, model: ModelFacts | undefined): CacheBreak | null {
    if (before?.cause === undefined) return null;
    const { call, comparison, cause, gapMs, tokensAgain = 0 } = before;
    const { change, prefix } = comparison;
    const lines =
      change === undefined
        ? []
        : cause === "tool_list"
          ? diffTools(call.pieces, pieces, change)
          : diffLines(change);
    const price = surcharge(model);
    const part = change?.after ?? change?.before;
    return {
      cause,
      compared_with: call.facts.span.id,
      at_token: Math.min(Math.round(prefix * scale), facts.tokens ?? Number.MAX_SAFE_INTEGER),
      part: part?.kind ?? "unknown",
      lines: [...lines],
      tokens_again: tokensAgain,
      price_per_1m_usd: price ?? null,
      cost_usd: price === undefined ? null : dollars(tokensAgain * price),
      gap_ms: gapMs,
      ttft_delta_ms: this.#ttftDelta(facts),
    };
  }

  /** Against the median of the calls that read from the cache as far as they could. */
  #ttftDelta({ ttftMs, model }: CallFacts): number | null {
    const hits = [...this.#calls.values()]
      .filter(({ call, cause, tokens_cached: cached }) => {
        return cause === null && (cached ?? 0) > 0 && this.#facts[call - 1]?.model === model;
      })
      .flatMap(({ ttft_ms: each }) => (each === null ? [] : [each]))
      .toSorted((a, b) => a - b);
    if (ttftMs === undefined || hits.length === 0) return null;
    const middle = hits.length / 2;
    const median = ((hits[Math.ceil(middle) - 1] ?? 0) + (hits[Math.floor(middle)] ?? 0)) / 2;
    return Math.round((ttftMs - median) * 1000) / 1000;
  }

  *#duplicates(read: ReadCall | undefined): Steps<readonly FoundDuplicate[]> {
    if (read === undefined) return [];
    const tools = new Map<string, string>();
    for (const { kind, callId, label } of read.pieces)
      if (kind === "assistant" && callId !== undefined && label !== undefined) tools.set(callId, label);
    return yield* duplicatesIn(read.pieces, read.scale, tools);
  }
}

/** The context of a model call of a trace; undefined if the span is no model call. */
export function contextOf(
  spans: readonly NormalizedSpan[],
  spanId: string,
  findModel: FindModel,
): CallContext | undefined {
  const startTime = spans[0]?.start_time ?? "";
  const outlines = spans.map((span) => outlineOf(span, startTime));
  const reader = runSteps(ContextReader.create(outlines, spanId, findModel));
  if (reader === undefined) return undefined;
  for (const span of spans) if (reader.needed.has(span.span_id)) runSteps(reader.add(span));
  return runSteps(reader.finish());
}

function inputTokens(
  read: ReadCall | undefined,
  facts: CallFacts | undefined,
): { readonly tokens: number; readonly isReported: boolean } {
  const reported = facts?.tokens;
  const estimate = read === undefined ? 0 : Math.round(tokensOf(read.pieces));
  if (reported === undefined || (reported === 0 && estimate > 0))
    return { tokens: estimate, isReported: false };
  return { tokens: reported, isReported: true };
}

/** What a million tokens of input cost more than tokens that are read from the cache. */
function surcharge({ input_per_1m: input, cached_input_per_1m: cached }: ModelFacts = {}):
  | number
  | undefined {
  return input === undefined ? undefined : input - (cached ?? input);
}

/** A price that is absent is that of all input, or of all output. */
function pricesOf({
  input_per_1m: input,
  output_per_1m: output,
  cached_input_per_1m: cached = input,
  cache_write_per_1m: write = input,
  reasoning_per_1m: reasoning = output,
}: ModelFacts): ModelPrices | null {
  if (input === undefined || output === undefined) return null;
  return {
    input_per_1m: input,
    cached_input_per_1m: cached ?? input,
    cache_write_per_1m: write ?? input,
    output_per_1m: output,
    reasoning_per_1m: reasoning ?? output,
  };
}

/** Repeated tokens inside the cached prefix cost what cached tokens cost. */
function priced(
  { pieces: repeated, ...duplicate }: FoundDuplicate,
  pieces: ReadCall["pieces"],
  scale: number,
  cached: number,
  model: ModelFacts | undefined,
): ContextDuplicate {
  const later = new Set(repeated.slice(1));
  let position = 0;
  let fromCache = 0;
  let again = 0;
  for (const piece of pieces) {
    if (later.has(piece)) {
      again += piece.tokens * scale;
      if ((position + piece.tokens) * scale <= cached) fromCache += piece.tokens * scale;
    }
    position += piece.tokens;
  }
  const { input_per_1m: input, cached_input_per_1m: cachedPrice = input } = model ?? {};
  const cost =
    input === undefined ? undefined : (again - fromCache) * input + fromCache * (cachedPrice ?? input);
  return {
    ...duplicate,
    tokens_each: Math.round((repeated[0]?.tokens ?? 0) * scale),
    tokens_again: Math.round(again),
    cost_usd: cost === undefined ? null : dollars(cost),
  };
}

/** From prices per million, rounded to a billionth of a dollar. */
function dollars(perMillion: number): number {
  return Math.round(perMillion * 1000) / 1e9;
}
