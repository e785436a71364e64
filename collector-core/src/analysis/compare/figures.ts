import type { TraceSummary } from "../../api-schema/trace.js";
import { costOf, isModelCall, numberOf, type SpanCost } from "../attributes.js";
import type { ComparedStep } from "./compared-step.js";

/** A figure in both runs. */
export interface Delta {
  /** Null if the first run does not have it. */
  readonly a: number | null;
  readonly b: number | null;
  /** What the second run has more; null if one of them does not have it. */
  readonly delta: number | null;
}

/** Figures of a run or of a step. */
export const FIGURES = [
  "duration_ms",
  "ttft_ms",
  "tokens_input",
  "tokens_output",
  "tokens_cached",
  "cost_usd",
] as const;
export type FigureName = (typeof FIGURES)[number];
export type Figures = Readonly<Record<FigureName, number | null>>;
export type Deltas = Readonly<Record<FigureName, Delta>>;

/** The figures of a step. Those of a model call may be at one of its wrappers. */
export function figuresOf({ node, call }: ComparedStep): Figures {
  const sources = call?.sources ?? [node.span];
  const isCalled = isModelCall(node.span);
  const of = (key: string): number | null => {
    if (!isCalled) return null;
    for (const span of sources) {
      const value = numberOf(span, key);
      if (value !== undefined) return value;
    }
    return null;
  };
  return {
    duration_ms: node.endMs === undefined ? null : node.span.duration_ms,
    ttft_ms: of("ttft_ms"),
    tokens_input: of("tokens_input"),
    tokens_output: of("tokens_output"),
    tokens_cached: of("tokens_cached"),
    cost_usd: stepCost({ node, call })?.usd ?? null,
  };
}

/** The cost of a step, if it is a model call and has one. */
export function stepCost({ node, call }: Pick<ComparedStep, "node" | "call">): SpanCost | undefined {
  if (!isModelCall(node.span)) return undefined;
  return (call?.sources ?? [node.span]).map(costOf).find((cost) => cost !== undefined);
}

/** The figures of a whole run. */
export function figuresOfTrace(trace: TraceSummary): Omit<Figures, "tokens_cached"> {
  return {
    duration_ms: trace.duration_ms,
    ttft_ms: trace.ttft_ms,
    tokens_input: trace.tokens_input,
    tokens_output: trace.tokens_output,
    cost_usd: trace.cost_usd,
  };
}

const MISSING: Figures = {
  duration_ms: null,
  ttft_ms: null,
  tokens_input: null,
  tokens_output: null,
  tokens_cached: null,
  cost_usd: null,
};

/** The difference of each figure. */
export function deltasOf(a: Figures = MISSING, b: Figures = MISSING): Deltas {
  return {
    duration_ms: deltaOf(a.duration_ms, b.duration_ms),
    ttft_ms: deltaOf(a.ttft_ms, b.ttft_ms),
    tokens_input: deltaOf(a.tokens_input, b.tokens_input),
    tokens_output: deltaOf(a.tokens_output, b.tokens_output),
    tokens_cached: deltaOf(a.tokens_cached, b.tokens_cached),
    cost_usd: deltaOf(a.cost_usd, b.cost_usd),
  };
}

/** The difference of two numbers, without the error of binary fractions. */
export function deltaOf(a: number | null, b: number | null): Delta {
  return { a, b, delta: a === null || b === null ? null : Math.round((b - a) * 1e9) / 1e9 };
}

/** What a difference must exceed to be marked, beside {@link LEAST_SHARE}. */
const LEAST: Readonly<Record<FigureName, number>> = {
  duration_ms: 100,
  ttft_ms: 100,
  tokens_input: 200,
  tokens_output: 200,
  tokens_cached: 200,
  cost_usd: 0.001,
};
const LEAST_SHARE = 0.1;

/** Whether a figure differs by more than a tenth, and by more than 100 ms, 200 tokens or $0.001. */
export function isNotable(figure: FigureName, { a, delta }: Delta): boolean {
  if (delta === null || a === null) return false;
  return Math.abs(delta) > LEAST[figure] && Math.abs(delta) > a * LEAST_SHARE;
}
