import type { Evaluation } from "../api-schema/evaluations.js";
import type { SpanReference, TraceKey } from "../interfaces.js";

/** The trace that an evaluation belongs to. */
export function traceOf({ tenant, trace_id: traceId }: Evaluation): TraceKey {
  return { tenant, traceId };
}

/** The span that an evaluation scores, or its trace. */
export function evaluatedSpan(evaluation: Evaluation): SpanReference {
  return { ...traceOf(evaluation), spanId: evaluation.evaluated_span_id };
}

/** Asks for each span once, however often it is referred to. Returns the answers in the order of the references. */
export async function askOnce<Answer>(
  references: readonly SpanReference[],
  ask: (distinct: readonly SpanReference[]) => Promise<readonly Answer[]>,
): Promise<(Answer | undefined)[]> {
  if (references.length === 0) return [];
  const positions = new Map<string, number>();
  const distinct: SpanReference[] = [];
  const positionOf = references.map((reference) => {
    const text = referenceText(reference);
    let position = positions.get(text);
    if (position === undefined) positions.set(text, (position = distinct.push(reference) - 1));
    return position;
  });
  const answers = await ask(distinct);
  return positionOf.map((position) => answers[position]);
}

/** A text that is the same for equal references only: an id may have any character. */
export function referenceText({ tenant, traceId, spanId }: SpanReference): string {
  return JSON.stringify([tenant, traceId, spanId]);
}
