import { type SpanNode, type SpanTree, textOf } from "@obspan/collector-core/analysis";
import type { NormalizedSpan } from "@obspan/collector-core/api-schema";

const haystacks = new WeakMap<NormalizedSpan, string>();

/**
 * The spans that contain a text in their name or attributes, ignoring case. Truncated texts are searched in their
 * preview only.
 */
export function searchSpans(tree: SpanTree, query: string): readonly SpanNode[] {
  const needle = query.trim().toLowerCase();
  if (needle === "") return [];
  return tree.nodes.filter(({ span }) => haystackOf(span).includes(needle));
}

function haystackOf(span: NormalizedSpan): string {
  let text = haystacks.get(span);
  if (text === undefined) {
    const values = JSON.stringify([span.attributes, span.events]);
    const model = textOf(span, "model") ?? "";
    text = `${span.name}\n${span.span_type}\n${span.span_id}\n${model}\n${values}`.toLowerCase();
    haystacks.set(span, text);
  }
  return text;
}
