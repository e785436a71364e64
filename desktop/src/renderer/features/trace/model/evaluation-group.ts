import type { NormalizedSpan } from "@obspan/collector-core/api-schema";

/**
 * Id of the row that groups all evaluations of a trace. It cannot be a span id, because those have no trailing empty
 * part.
 */
export const EVALUATIONS_ID = "\u0000evaluations";

/**
 * Groups all evaluations under one extra row: they ran after the trace, and would appear between its steps. The row is
 * folded at first.
 */
export function groupEvaluations(spans: readonly NormalizedSpan[]): readonly NormalizedSpan[] {
  const evaluations = spans.filter(({ span_type: type }) => type === "evaluation");
  const [first] = evaluations;
  if (first === undefined) return spans;
  const others = spans.filter(({ span_type: type }) => type !== "evaluation");
  const ids = new Set(others.map(({ span_id: id }) => id));
  const root = others.find(({ parent_span_id: parent }) => parent === null || !ids.has(parent));
  const failed = evaluations.filter(({ status }) => status === "ERROR").length;
  const count = `${evaluations.length} ${evaluations.length === 1 ? "evaluation" : "evaluations"}`;
  const group: NormalizedSpan = {
    ...first,
    span_id: EVALUATIONS_ID,
    parent_span_id: root?.span_id ?? null,
    name: failed === 0 ? count : `${count}, ${failed} failed`,
    status: "OK",
    end_time: null,
    duration_ms: null,
    attributes: {},
    events: [],
  };
  return [
    ...others,
    group,
    ...evaluations.map((evaluation) => ({ ...evaluation, parent_span_id: EVALUATIONS_ID })),
  ];
}
