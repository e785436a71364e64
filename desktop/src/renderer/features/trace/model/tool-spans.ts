import type { ToolCallPart } from "./message-parts.js";
import { textOf } from "./span-facts.js";
import type { SpanNode, SpanTree } from "./span-tree.js";

/** Where apps put the id of the call that a tool's span answers. */
const ID_KEYS = ["tool_call_id", "gen_ai.tool.call.id"];

/**
 * The tool's span that ran a call: the one that names the call's id; else the only one of the tool's name in the
 * trace. Where several could be meant none is returned: a wrong link is worse than none.
 */
export function spanOfCall(tree: SpanTree, caller: SpanNode, call: ToolCallPart): SpanNode | undefined {
  const tools = tree.nodes.filter((node) => node.span.span_type === "tool" && node !== caller);
  if (call.id !== "") {
    const named = tools.find(({ span }) => ID_KEYS.some((key) => textOf(span, key) === call.id));
    if (named !== undefined) return named;
  }
  const ofName = tools.filter(
    ({ span }) => span.name === call.name || textOf(span, "tool_name") === call.name,
  );
  return ofName.length === 1 ? ofName[0] : undefined;
}
