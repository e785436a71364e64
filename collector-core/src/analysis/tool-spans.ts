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
  const { byId, byName } = toolsOf(tree);
  const isOther = (node: SpanNode): boolean => node !== caller;
  const named = call.id === "" ? undefined : byId.get(call.id)?.find(isOther);
  if (named !== undefined) return named;
  const ofName = byName.get(call.name)?.filter(isOther) ?? [];
  return ofName.length === 1 ? ofName[0] : undefined;
}

/** The spans of tools by the ids of their calls and by their names, each in display order. */
interface ToolsByCall {
  readonly byId: ReadonlyMap<string, readonly SpanNode[]>;
  readonly byName: ReadonlyMap<string, readonly SpanNode[]>;
}

/** Of each tree once: a message may have very many calls. */
const known = new WeakMap<SpanTree, ToolsByCall>();

/** Two tell whether there is more than one. With the caller, three do. */
const ENOUGH = 3;

function toolsOf(tree: SpanTree): ToolsByCall {
  const found = known.get(tree);
  if (found !== undefined) return found;
  const byId = new Map<string, SpanNode[]>();
  const byName = new Map<string, SpanNode[]>();
  const add = (lists: Map<string, SpanNode[]>, key: string, node: SpanNode): void => {
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [node]);
    else if (list.length < ENOUGH) list.push(node);
  };
  for (const node of tree.nodes) {
    if (node.span.span_type !== "tool") continue;
    const id = callIdOf(node.span);
    if (id !== undefined) add(byId, id, node);
    for (const name of new Set([node.span.name, textOf(node.span, "tool_name") ?? node.span.name]))
      add(byName, name, node);
  }
  const tools = { byId, byName };
  known.set(tree, tools);
  return tools;
}
