import type { NormalizedSpan } from "@obspan/collector-core/api-schema";

/** The id of the row that stands for all evaluations of a trace: no span's, which are never empty after it. */
export const EVALUATIONS_ID = "\u0000evaluations";

/**
 * The spans with all evaluations under one row of their own: they came after the run, and would stand between its steps.
 * The row is no span that was sent; it is folded until it is opened.
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
