import { costOf, numberOf, textOf } from "../analysis/attributes.js";
import type { SpanNode } from "../analysis/span-tree.js";
import { whole } from "../runtime/counted.js";
import { durationText, markedCost } from "./trace-facts.js";

/** The figures of a span in a line: what it called, how long it took, tokens and cost. */
export function spanFigures({ span, startMs, endMs }: SpanNode): string[] {
  const input = numberOf(span, "tokens_input");
  const output = numberOf(span, "tokens_output");
  const cost = costOf(span);
  return [
    textOf(span, "model") ?? "",
    endMs === undefined ? "running" : span.duration_ms === null ? "" : durationText(endMs - startMs),
    tokensText(input, output),
    cost === undefined ? "" : markedCost(cost.usd, cost.isComputed),
  ].filter((figure) => figure !== "");
}

function tokensText(input: number | undefined, output: number | undefined): string {
  if (input === undefined && output === undefined) return "";
  return output === undefined || output === 0
    ? `${whole(input ?? 0)} tokens`
    : `${whole(input ?? 0)} → ${whole(output)} tokens`;
}
