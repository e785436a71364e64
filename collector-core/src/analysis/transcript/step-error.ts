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

/** The error of a span, or the first one inside it that it hides. */
export function errorWithin(node: SpanNode): StepError | undefined {
  const pending: SpanNode[] = [node];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const error = next.span.span_type === "evaluation" ? undefined : ownError(next);
    if (error !== undefined) return error;
    for (const child of next.children.toReversed()) pending.push(child);
  }
  return undefined;
}
