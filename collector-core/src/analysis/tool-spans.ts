import type { NormalizedSpan } from "../api-schema/trace.js";
import { textOf } from "./attributes.js";
import type { ToolCallPart } from "./message.js";
import type { SpanNode, SpanTree } from "./span-tree.js";

/** Attributes in which apps store the id of the call that a tool span answers. */
const ID_KEYS = ["tool_call_id", "gen_ai.tool.call.id", "ai.toolCall.id"];

/** The id of the call that a tool span answers. */
export function callIdOf(span: NormalizedSpan): string | undefined {
  return ID_KEYS.map((key) => textOf(span, key)).find((id) => id !== undefined);
}

/**
 * The span of the tool that ran a call: the one with the call's id, otherwise the only one with the tool's name. None
 * if several match, because a wrong link is worse than none.
 */
export function spanOfCall(tree: SpanTree, caller: SpanNode, call: ToolCallPart): SpanNode | undefined {
  const tools = tree.nodes.filter((node) => node.span.span_type === "tool" && node !== caller);
  if (call.id !== "") {
    const named = tools.find(({ span }) => callIdOf(span) === call.id);
    if (named !== undefined) return named;
  }
  const ofName = tools.filter(
    ({ span }) => span.name === call.name || textOf(span, "tool_name") === call.name,
  );
  return ofName.length === 1 ? ofName[0] : undefined;
}
