import { costOf, numberOf } from "./attributes.js";
import type { SpanNode } from "./span-tree.js";

/** Tokens and cost. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  /** The part of the input that came from the provider's cache. */
  readonly cached: number;
  readonly costUsd: number;
  /** Whether the collector computed the cost, or a part of it. */
  readonly isComputed: boolean;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cached: 0, costUsd: 0, isComputed: false };

/**
 * The usage that a span counts for by itself, as in the totals of its trace: a model call around another one repeats the usage
 * of that one and counts none, and neither does an evaluation or a span that runs.
 */
export function leafUsageOf({ span, children }: SpanNode): Usage {
  const { span_type: type, status } = span;
  if (type === "evaluation" || status === "RUNNING") return NO_USAGE;
  if (type === "llm" && children.some((child) => child.span.span_type === "llm")) return NO_USAGE;
  const amount = (key: string): number => Math.max(0, numberOf(span, key) ?? 0);
  const input = amount("tokens_input");
  const cost = costOf(span);
  return {
    input,
    output: amount("tokens_output"),
    cached: Math.min(input, amount("tokens_cached")),
    costUsd: Math.max(0, cost?.usd ?? 0),
    isComputed: cost?.isComputed === true,
  };
}

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  if (b === NO_USAGE) return a;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    costUsd: a.costUsd + b.costUsd,
    isComputed: a.isComputed || b.isComputed,
  };
}
