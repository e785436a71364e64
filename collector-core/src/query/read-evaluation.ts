import type { Evaluation } from "../api-schema/evaluations.js";
import {
  BUILT_IN_TYPES,
  DEFAULT_THRESHOLDS,
  EVALUATION_DIRECTIONS,
  evaluationTypeName,
  isPastThreshold,
  type EvaluationDirection,
} from "../api-schema/evaluation-types.js";
import { keptText } from "../span/kept-text.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { isAmount, isRecord, isUsableSpanId, MAX_LABEL_LENGTH } from "../span/span-facts.js";
import { addMs, formatInstant } from "../span/timestamp.js";

const MAX_EXPLANATION_LENGTH = 1000;

/** What an evaluation is read from. */
export type EvaluationSpan = Pick<PipelineSpan, "span" | "facts" | "context">;

/** What is read from an evaluation span. */
export interface ReadEvaluation {
  readonly endedAtMs: number;
  readonly receivedAtMs: number;
  /** Version of the application, if known. */
  readonly version: string | undefined;
  /** True if the span has neither model nor agent, such as the score of a user: those of the evaluated span are shown. */
  readonly lacksLabels: boolean;
  readonly evaluation: Evaluation;
}

/** Options of {@link createEvaluationReader}. */
export interface EvaluationReaderOptions {
  /** `evaluation.thresholds`. */
  readonly thresholds: Readonly<Record<string, number>>;
  /** Directions of custom types. */
  readonly directions: Readonly<Partial<Record<string, EvaluationDirection>>>;
}

/** Reads evaluation spans. */
export interface EvaluationReader {
  /** Undefined if the span names no evaluation type. The result refers to no part of the span. */
  read(span: EvaluationSpan): ReadEvaluation | undefined;
  thresholdOf(type: string, direction: EvaluationDirection): number | null;
  /** The direction of a type that a score does not name itself. */
  directionOf(type: string): EvaluationDirection;
}

export function createEvaluationReader(options: EvaluationReaderOptions): EvaluationReader {
  // Maps: the sender of a score names its type, and may name it `constructor`.
  const thresholds = new Map(Object.entries(options.thresholds));
  const directions = new Map(
    Object.entries<EvaluationDirection | undefined>({ ...BUILT_IN_TYPES, ...options.directions }),
  );

  function directionOf(type: string): EvaluationDirection {
    return directions.get(evaluationTypeName(type)) ?? "maximize";
  }

  return {
    read({ span, facts, context }) {
      const attributes: Record<string, unknown> = isRecord(span.attributes) ? span.attributes : {};
      const type = text(attributes["evaluation_type"]);
      if (type === null) return undefined;
      const score = facts.evaluationScore ?? null;
      const givenId = attributes["evaluated_span_id"];
      const given = attributes["evaluation_direction"];
      const direction = EVALUATION_DIRECTIONS.find((each) => each === given) ?? directionOf(type);
      const judgeModel = text(attributes["judge_model"]);
      const judgeCost = attributes["judge_cost_usd"];
      const ended = addMs(facts.start, facts.durationMs ?? 0);
      const evaluation: Evaluation = {
        trace_id: facts.traceId,
        tenant: context.tenant,
        span_id: facts.spanId,
        evaluated_span_id: isUsableSpanId(givenId) ? givenId : facts.parentSpanId || null,
        type,
        score,
        label: text(attributes["evaluation_label"]),
        explanation:
          text(attributes["evaluation_explanation"], MAX_EXPLANATION_LENGTH) ??
          text(attributes["evaluation_comment"], MAX_EXPLANATION_LENGTH) ??
          text(attributes["error_message"], MAX_EXPLANATION_LENGTH),
        direction,
        past_threshold:
          score !== null && isPastThreshold(score, direction, thresholds.get(evaluationTypeName(type))),
        outcome: text(attributes["evaluation_outcome"]) ?? (score === null ? "error" : "completed"),
        source: text(attributes["evaluation_source"]) ?? (judgeModel === null ? "check" : "judge"),
        service: context.service,
        env: context.env,
        model: facts.model || null,
        agent: facts.agent || null,
        time: formatInstant(ended),
        duration_ms: facts.durationMs ?? null,
        judge_model: judgeModel,
        cost_usd: isAmount(judgeCost) ? judgeCost : null,
      };
      return {
        endedAtMs: ended.epochMs,
        receivedAtMs: context.receivedAtMs,
        version: context.version,
        lacksLabels: evaluation.model === null && evaluation.agent === null,
        evaluation,
      };
    },
    directionOf,
    thresholdOf(type, direction) {
      return thresholds.get(type) ?? (direction === "neutral" ? null : DEFAULT_THRESHOLDS[direction]);
    },
  };
}

/** A text for the log: truncated, and copied rather than a slice of a longer string. */
function text(value: unknown, maxLength = MAX_LABEL_LENGTH): string | null {
  return typeof value === "string" && value !== "" ? keptText(value, maxLength) : null;
}
