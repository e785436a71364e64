/** Whether a higher or a lower score is better. */
export const EVALUATION_DIRECTIONS = ["maximize", "minimize", "neutral"] as const;
/** One of {@link EVALUATION_DIRECTIONS}. */
export type EvaluationDirection = (typeof EVALUATION_DIRECTIONS)[number];

/** The types that call a judge, with their directions (contract 8). */
export const BUILT_IN_TYPES = {
  relevance: "maximize",
  helpfulness: "maximize",
  correctness: "maximize",
  faithfulness: "maximize",
  hallucination: "minimize",
  conciseness: "maximize",
  toxicity: "minimize",
  refusal: "neutral",
  instruction_following: "maximize",
  tool_selection: "maximize",
} as const satisfies Record<string, EvaluationDirection>;

/** One of {@link BUILT_IN_TYPES}. */
export type BuiltInTypeName = keyof typeof BUILT_IN_TYPES;

/** The types with a parameter after the colon, and the checks. Only `criteria:` calls a judge. */
export const PARAMETER_TYPES = {
  valid_json: { direction: "maximize", usage: "valid_json" },
  pii_leak: { direction: "minimize", usage: "pii_leak" },
  length: { direction: "maximize", usage: "length:<min>-<max>" },
  regex: { direction: "maximize", usage: "regex:<expression>" },
  contains: { direction: "maximize", usage: "contains:<text>" },
  criteria: { direction: "maximize", usage: "criteria:<text>" },
} as const satisfies Record<string, { direction: EvaluationDirection; usage: string }>;

/** The type of the scores that users give with a thumb. */
export const FEEDBACK_TYPE = "user_feedback";

/** The part of a type before the colon, which names it in metrics and filters (contract 8). */
export function evaluationTypeName(type: string): string {
  const colon = type.indexOf(":");
  return colon < 0 ? type : type.slice(0, colon);
}

/** Thresholds of a bad score, unless `evaluation.thresholds` has the type (contract 5). */
export const DEFAULT_THRESHOLDS = { maximize: 0.7, minimize: 0.3 } as const;

/**
 * True if a score is past its threshold: below it if higher is better, above it if lower is better.
 *
 * @param threshold - the configured threshold of the type, if any.
 */
export function isPastThreshold(score: number, direction: EvaluationDirection, threshold?: number): boolean {
  switch (direction) {
    case "maximize":
      return score < (threshold ?? DEFAULT_THRESHOLDS.maximize);
    case "minimize":
      return score > (threshold ?? DEFAULT_THRESHOLDS.minimize);
    case "neutral":
      return false;
  }
}

/** Outcomes of an offered evaluation (contract 4, the ledger). */
export const EVALUATION_OUTCOMES = ["completed", "timeout", "error", "malformed", "dropped"] as const;
/** One of {@link EVALUATION_OUTCOMES}. */
export type EvaluationOutcome = (typeof EVALUATION_OUTCOMES)[number];

/** Maximum number of types per span (contract 8). */
export const MAX_TYPES_PER_SPAN = 20;
