import type { Span } from "@obspan/sdk/wire";
import { MAX_TYPES_PER_SPAN } from "../api-schema/evaluation-types.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { keptText } from "../span/kept-text.js";
import { isRecord } from "../span/span-facts.js";

/** Maximum length of a type. A longer type is truncated, and then unknown. */
const MAX_TYPE_LENGTH = 5000;
/** Items of a list that are compared with each other. A body of 10 MB can list two million in one span. */
const MAX_COMPARED_TYPES = 1000;

/** The evaluations that a span requests. */
export interface EvaluationRequest {
  /** Distinct types. */
  readonly types: readonly string[];
  /** Number of types beyond the limit per span (contract 8). Items beyond the first thousand count, whatever they are. */
  readonly excess: number;
  /** Sample rate of this span; undefined when absent or not a number from 0 to 1. */
  readonly sampleRate: number | undefined;
}

/**
 * Reads the evaluation metadata of a span (spec 4.9 rule 5).
 *
 * @returns undefined without metadata, and for running spans and evaluation spans, which are never evaluated.
 */
export function readEvaluationRequest({
  span,
  facts,
}: Pick<PipelineSpan, "span" | "facts">): EvaluationRequest | undefined {
  const attributes: Span["attributes"] | undefined = span.attributes;
  if (!isRecord(attributes) || facts.isRunning || facts.spanType === "evaluation") return undefined;
  const requested: unknown = attributes["evaluation_types"];
  if (!Array.isArray(requested)) return undefined;
  const compared = requested.slice(0, MAX_COMPARED_TYPES);
  const types = uniqueTypes(compared);
  if (types.length === 0) return undefined;
  const rate: unknown = attributes["evaluation_sample_rate"];
  return {
    types: types.slice(0, MAX_TYPES_PER_SPAN),
    excess: Math.max(0, types.length - MAX_TYPES_PER_SPAN) + requested.length - compared.length,
    sampleRate: typeof rate === "number" && rate >= 0 && rate <= 1 ? rate : undefined,
  };
}

/** Returns the distinct types of a list, without items that are not text. */
function uniqueTypes(requested: readonly unknown[]): string[] {
  const types = new Set<string>();
  for (const each of requested) {
    const type = typeof each === "string" ? keptText(each.trim(), MAX_TYPE_LENGTH) : "";
    if (type !== "") types.add(type);
  }
  return [...types];
}

/**
 * Decides whether a span of a sampled trace is evaluated (spec 4.9 rule 5). The decision is independent of trace
 * sampling, so that the two rates multiply.
 *
 * @param random - 0 to 1, exclusive of 1.
 */
export function isSampledForEvaluation(
  request: EvaluationRequest,
  defaultSampleRate: number,
  random: number,
): boolean {
  return random < (request.sampleRate ?? defaultSampleRate);
}
