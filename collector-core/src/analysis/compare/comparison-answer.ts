import type { ComparedStepAnswer, StepPairAnswer, TraceComparison } from "../../api-schema/compare.js";
import { oneLine, textOf } from "../attributes.js";
import { errorWithin } from "../transcript/step-error.js";
import { isTruncated } from "../values.js";
import type { ComparedStep } from "./compared-step.js";
import type { Comparison, StepPair } from "./compare-runs.js";
import { stepCost } from "./figures.js";

/** A comparison as the API answers it, without its steps: they are many. */
export function comparisonHead(
  { a, b, deltas, errors, scores, firstDivergence }: Comparison,
  hasAllTexts: boolean,
): Omit<TraceComparison, "steps"> {
  return {
    a,
    b,
    deltas: { ...deltas, errors },
    scores: [...scores],
    first_divergence: firstDivergence ?? null,
    has_all_texts: hasAllTexts,
  };
}

/** Two steps beside each other as the API answers them. */
export function pairAnswer({ a, b, matchedBy, differences, changedShare, deltas }: StepPair): StepPairAnswer {
  return {
    a: a === undefined ? null : stepAnswer(a),
    b: b === undefined ? null : stepAnswer(b),
    matched_by: matchedBy ?? null,
    differences: [...differences],
    changed_share: changedShare ?? null,
    ...deltas,
  };
}

function stepAnswer(step: ComparedStep): ComparedStepAnswer {
  const { node, call } = step;
  const { span } = node;
  return {
    span_id: node.id,
    source_span_ids: call === undefined ? [node.id] : call.sources.map(({ span_id: id }) => id),
    number: step.number,
    name: step.name,
    hint: step.hint ?? null,
    span_type: span.span_type,
    status: span.status,
    agent: step.agent === "" ? null : step.agent,
    model: textOf(span, "model") ?? null,
    level: step.level,
    start_ms: node.startMs,
    error: errorOf(step),
    cost_source: costSourceOf(step),
  };
}

function costSourceOf(step: ComparedStep): ComparedStepAnswer["cost_source"] {
  const cost = stepCost(step);
  if (cost === undefined) return null;
  return cost.isComputed ? "computed" : "reported";
}

const ERROR_LENGTH = 200;

function errorOf({ node }: ComparedStep): string | null {
  const error = errorWithin(node);
  if (error === undefined) return null;
  const { message, type } = error;
  const text = isTruncated(message) ? message.preview : message;
  return oneLine(text ?? type ?? "failed", ERROR_LENGTH);
}
