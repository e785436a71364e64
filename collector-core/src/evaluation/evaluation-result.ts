import type { JsonValue, Span } from "@obspan/sdk/wire";
import type { EvaluationDirection } from "../api-schema/evaluation-types.js";
import { truncateCodePoints } from "../span/kept-text.js";
import type { BatchContext } from "../span/span-facts.js";
import type { NormalizedSpan } from "../api-schema/trace.js";
import { readEvaluatedText, type EvaluatedText } from "./evaluated-text.js";
import type { Verdict } from "./evaluation-type.js";
import type { JudgeUsage } from "./judges/judge.js";

/** The evaluated text of a span, with the ids and labels of the span. */
export interface EvaluationSubject {
  readonly context: BatchContext;
  readonly traceId: string;
  readonly spanId: string;
  /** `""` when absent. */
  readonly model: string;
  /** `""` when absent. */
  readonly agent: string;
  readonly text: EvaluatedText;
}

/** Creates a subject from a stored span, to evaluate it again. */
export function storedSubject(span: NormalizedSpan, tenant: string, nowMs: number): EvaluationSubject {
  const { service, env, version, attributes } = span;
  const label = (key: string): string => (typeof attributes[key] === "string" ? attributes[key] : "");
  return {
    context: { tenant, service, env, version: version ?? undefined, receivedAtMs: nowMs },
    traceId: span.trace_id,
    spanId: span.span_id,
    model: label("model"),
    agent: label("agent"),
    text: readEvaluatedText(attributes),
  };
}

/** Outcome of an evaluation that ran. */
export type EvaluationEnd =
  | { readonly outcome: "completed"; readonly verdict: Verdict }
  | {
      readonly outcome: "timeout" | "error" | "malformed";
      /** A sentence for users. */
      readonly reason: string;
      /** The error class. */
      readonly errorType: string;
    };

/** Result of a finished evaluation. */
export interface EvaluationResult {
  readonly subject: EvaluationSubject;
  /** The requested type, such as `contains:refund`. */
  readonly type: string;
  readonly direction: EvaluationDirection;
  readonly end: EvaluationEnd;
  /** Undefined without a call to the judge, like `usage`. */
  readonly judge: { readonly provider: string; readonly model: string } | undefined;
  readonly usage: JudgeUsage | undefined;
  /** Wall clock, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** Maximum length of the type in the span name. */
const MAX_TYPE_LENGTH = 200;

/** Creates the span of an evaluation (spec 2.4, contract 8). */
export function evaluationSpan(result: EvaluationResult, spanId: string): Span {
  const { subject, end, judge, usage } = result;
  const type = truncateCodePoints(result.type, MAX_TYPE_LENGTH);
  const isDone = end.outcome === "completed";
  return {
    name: `evaluation.${type}`,
    span_type: "evaluation",
    trace_id: subject.traceId,
    span_id: spanId,
    parent_span_id: subject.spanId,
    status: isDone ? "OK" : "ERROR",
    start_time: result.startedAtMs,
    duration_ms: result.durationMs,
    attributes: withoutUndefined({
      evaluation_type: type,
      evaluation_score: isDone ? end.verdict.score : undefined,
      evaluation_label: isDone ? end.verdict.label : undefined,
      evaluation_explanation: isDone ? end.verdict.explanation : undefined,
      evaluation_direction: result.direction,
      evaluation_outcome: end.outcome,
      evaluated_span_id: subject.spanId,
      judge_model: judge?.model,
      judge_provider: judge?.provider,
      judge_tokens_input: usage?.tokensInput,
      judge_tokens_output: usage?.tokensOutput,
      judge_cost_usd: usage?.costUsd,
      error_type: isDone ? undefined : end.errorType,
      error_message: isDone ? undefined : end.reason,
    }),
  };
}

function withoutUndefined(
  values: Readonly<Record<string, JsonValue | undefined>>,
): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
