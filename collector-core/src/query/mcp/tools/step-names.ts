import { textOf } from "../../../analysis/attributes.js";
import type { Run } from "../../../analysis/run.js";
import type { SpanNode } from "../../../analysis/span-tree.js";
import { stepsAround } from "../../../analysis/steps.js";
import { toolName } from "../../../analysis/tool-uses.js";

/** The number of the step that a span is, or is inside of. */
export function stepAround(node: SpanNode, run: Pick<Run, "tree" | "numbers">): number | undefined {
  const step = run.numbers.has(node.id) ? node : stepsAround(run).get(node);
  return step && run.numbers.get(step.id);
}

/** `llm answer (gpt-5) → get_order(order_id: "48190")`. */
export function stepName(node: SpanNode, run: Run): string {
  const { span } = node;
  const model = span.span_type === "llm" ? textOf(span, "model") : undefined;
  const name = span.span_type === "tool" ? toolName(node) : span.name;
  const hint = run.hints.get(node.id);
  return [span.span_type, name, model !== undefined && !name.includes(model) ? `(${model})` : undefined, hint]
    .filter((part) => part !== undefined)
    .join(" ");
}
