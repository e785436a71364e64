import { takeSpans } from "../../src/index.js";
import type { Span } from "../../src/wire/index.js";

/** The spans since the last call. */
export interface SpanTree {
  readonly spans: readonly Span[];
  /** Each span as `type name`, children indented below their parents, in order of their start. */
  readonly lines: readonly string[];
  /** The spans of a type. */
  ofType(type: string): Span[];
  /** The only span with a name. Throws if there is none, or more than one. */
  named(name: string): Span & { attributes: NonNullable<Span["attributes"]> };
}

/** Takes all recorded spans. */
export function takeTree(): SpanTree {
  const spans = takeSpans();
  const byStart = spans.toSorted((left, right) => Number(left.start_time) - Number(right.start_time));
  const lines: string[] = [];
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const add = (span: Span, depth: number): void => {
    lines.push(`${"  ".repeat(depth)}${span.span_type ?? ""} ${span.name}`);
    for (const child of byStart) if (child.parent_span_id === span.span_id) add(child, depth + 1);
  };
  // A span whose parent is missing is shown as a root with a mark.
  for (const span of byStart) {
    if (span.parent_span_id === undefined || span.parent_span_id === null) add(span, 0);
    else if (!ids.has(span.parent_span_id)) lines.push(`orphan ${span.span_type ?? ""} ${span.name}`);
  }
  return {
    spans,
    lines,
    ofType: (type) => byStart.filter(({ span_type }) => span_type === type),
    named(name) {
      const found = spans.filter((span) => span.name === name);
      const [span] = found;
      if (span === undefined || found.length > 1) throw new Error(`${found.length} spans are named ${name}.`);
      return { ...span, attributes: span.attributes ?? {} };
    },
  };
}
