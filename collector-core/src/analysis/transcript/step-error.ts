import { attributeOf, textOf } from "../attributes.js";
import type { SpanNode } from "../span-tree.js";
import { isLongText } from "../values.js";
import type { StepError } from "./entries.js";

/** Why a span failed itself; undefined if it did not, or if the error came from a child. */
export function ownError(node: SpanNode): StepError | undefined {
  const { span } = node;
  if (span.status !== "ERROR" || span.error_propagated === true) return undefined;
  const message = attributeOf(span, "error_message");
  return { node, type: textOf(span, "error_type"), message: isLongText(message) ? message : undefined };
}

/** The first error of each span and what is inside it; null if there is none. */
const known = new WeakMap<SpanNode, StepError | null>();

/**
 * The error of a span, or the first one inside it that it hides. It is remembered: steps may be inside each other, thousands
 * deep.
 */
export function errorWithin(node: SpanNode): StepError | undefined {
  const unknown: SpanNode[] = [node];
  for (const next of unknown) if (!known.has(next)) for (const child of next.children) unknown.push(child);
  // From the end, because children stand after their parents.
  for (const next of unknown.reverse()) if (!known.has(next)) known.set(next, firstError(next));
  return known.get(node) ?? undefined;
}

function firstError(node: SpanNode): StepError | null {
  const own = node.span.span_type === "evaluation" ? undefined : ownError(node);
  if (own !== undefined) return own;
  for (const child of node.children) {
    const inside = known.get(child) ?? null;
    if (inside !== null) return inside;
  }
  return null;
}
