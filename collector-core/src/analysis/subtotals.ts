import { costOf, numberOf } from "./attributes.js";
import type { SpanNode, SpanTree } from "./span-tree.js";

/** What a span and everything below it come to. */
export interface Subtotal {
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Durations added up, so that parallel calls count twice. */
  readonly modelMs: number;
  /** The same of tools that call no model. */
  readonly toolMs: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
  readonly costUsd: number;
  /** Whether the collector computed the cost, or a part of it. */
  readonly isComputed: boolean;
}

const NOTHING: Subtotal = {
  modelCalls: 0,
  toolCalls: 0,
  modelMs: 0,
  toolMs: 0,
  tokensInput: 0,
  tokensOutput: 0,
  costUsd: 0,
  isComputed: false,
};

/**
 * The subtotals of the spans that have calls, tokens or cost below them, by span id. As in the totals of a trace, a model call with
 * a model call inside is a wrapper that counts nothing, and evaluations do not count.
 *
 * @param nowMs - the assumed end of running spans, in milliseconds from the start of the trace.
 */
export function subtotalsOf(
  { nodes }: Pick<SpanTree, "nodes">,
  nowMs: number,
): ReadonlyMap<string, Subtotal> {
  const sums = new Map<SpanNode, Subtotal>();
  const subtotals = new Map<string, Subtotal>();
  // From the end, because children stand after their parents.
  for (const node of nodes.toReversed()) {
    const below = sums.get(node) ?? NOTHING;
    const sum = added(below, ownFigures(node, below, nowMs));
    if (isSomething(below)) subtotals.set(node.id, sum);
    if (node.parent !== undefined) sums.set(node.parent, added(sums.get(node.parent) ?? NOTHING, sum));
  }
  return subtotals;
}

function ownFigures(node: SpanNode, below: Subtotal, nowMs: number): Subtotal {
  const { span, startMs, endMs } = node;
  const isModelCall = span.span_type === "llm";
  if (span.span_type === "evaluation" || (isModelCall && hasModelCall(node))) return NOTHING;
  const isTool = span.span_type === "tool";
  const cost = costOf(span);
  const tookMs = Math.max(0, (endMs ?? nowMs) - startMs);
  return {
    modelCalls: isModelCall ? 1 : 0,
    toolCalls: isTool ? 1 : 0,
    modelMs: isModelCall ? tookMs : 0,
    toolMs: isTool && below.modelCalls === 0 ? tookMs : 0,
    tokensInput: numberOf(span, "tokens_input") ?? 0,
    tokensOutput: numberOf(span, "tokens_output") ?? 0,
    costUsd: cost?.usd ?? 0,
    isComputed: cost?.isComputed === true,
  };
}

function isSomething({ modelCalls, toolCalls, tokensInput, tokensOutput, costUsd }: Subtotal): boolean {
  return modelCalls + toolCalls + tokensInput + tokensOutput + costUsd > 0;
}

function hasModelCall({ children }: SpanNode): boolean {
  return children.some(({ span }) => span.span_type === "llm");
}

function added(a: Subtotal, b: Subtotal): Subtotal {
  return {
    modelCalls: a.modelCalls + b.modelCalls,
    toolCalls: a.toolCalls + b.toolCalls,
    modelMs: a.modelMs + b.modelMs,
    toolMs: a.toolMs + b.toolMs,
    tokensInput: a.tokensInput + b.tokensInput,
    tokensOutput: a.tokensOutput + b.tokensOutput,
    costUsd: a.costUsd + b.costUsd,
    isComputed: a.isComputed || b.isComputed,
  };
}
