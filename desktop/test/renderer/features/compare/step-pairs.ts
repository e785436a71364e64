import type { ComparedStepAnswer, StepPairAnswer } from "@obspan/collector-core/api-schema";

const NONE = { a: null, b: null, delta: null };

export function newStep(id: string, fields: Partial<ComparedStepAnswer> = {}): ComparedStepAnswer {
  return {
    span_id: id,
    source_span_ids: [id],
    number: 1,
    name: id,
    hint: null,
    span_type: "llm",
    status: "OK",
    agent: null,
    model: null,
    level: 0,
    start_ms: 0,
    error: null,
    cost_source: null,
    ...fields,
  };
}

/** A step of both runs; of one run if a side is null. */
export function newPair(fields: Partial<StepPairAnswer> = {}): StepPairAnswer {
  return {
    a: newStep("a"),
    b: newStep("b"),
    matched_by: "name",
    differences: [],
    changed_share: null,
    duration_ms: NONE,
    ttft_ms: NONE,
    tokens_input: NONE,
    tokens_output: NONE,
    tokens_cached: NONE,
    cost_usd: NONE,
    ...fields,
  };
}
