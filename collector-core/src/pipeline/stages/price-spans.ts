import { setComputedCost, type PipelineSpan } from "../../span/pipeline-span.js";
import { isAmount } from "../../span/span-facts.js";
import type { SpanConsumer } from "../span-consumer.js";

/** Tokens of a model call. `input` and `output` are totals; the others are parts of them. */
export interface CallTokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** The cost of a model call in USD; undefined if the price of the model is not known. Fast for every name. */
export type CostOf = (model: string, tokens: CallTokens) => number | undefined;

/** Options of {@link createPriceSpans}. */
export interface PriceSpansOptions {
  readonly costOf: CostOf;
}

/**
 * Computes the cost of model calls that came without one (contract 9). The cost stands beside the span, whose attributes stay as
 * they were sent.
 */
export function createPriceSpans({ costOf }: PriceSpansOptions, next: SpanConsumer): SpanConsumer {
  function price(pipelineSpan: PipelineSpan): void {
    const { facts, countsUsage } = pipelineSpan;
    const { spanType, model, tokensInput, tokensOutput } = facts;
    if (spanType !== "llm" && spanType !== "embedding") return;
    // A wrapper repeats the tokens of the call inside it, and a running call has not used all of its own.
    if (facts.costUsd !== undefined || model === "" || !countsUsage || facts.isRunning) return;
    if (tokensInput === undefined && tokensOutput === undefined) return;
    const costUsd = costOf(model, {
      input: tokensInput ?? 0,
      output: tokensOutput ?? 0,
      cached: facts.tokensCached ?? 0,
      cacheWrite: facts.tokensCacheWrite ?? 0,
      reasoning: facts.tokensReasoning ?? 0,
    });
    // An absurd count of tokens would hide all other costs.
    if (isAmount(costUsd)) setComputedCost(pipelineSpan, costUsd);
  }

  return {
    consume(spans) {
      for (const span of spans) price(span);
      return next.consume(spans);
    },
  };
}
