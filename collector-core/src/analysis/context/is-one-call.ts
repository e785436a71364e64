import { isInside, type SpanNode } from "../span-tree.js";

/** Whether a span is a call of a model, and not a wrapper of several calls: only such a span has a context. */
export function isOneCall(call: SpanNode): boolean {
  if (call.span.span_type !== "llm") return false;
  let inner = call;
  const waiting = call.children.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.span.span_type === "llm") {
      if (!isInside(node, inner)) return false;
      inner = node;
    }
    for (const child of node.children.toReversed()) waiting.push(child);
  }
  return true;
}
