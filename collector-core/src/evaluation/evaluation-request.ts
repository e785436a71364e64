import type { Span } from "@obspan/sdk/wire";
import { MAX_TYPES_PER_SPAN } from "../api-schema/evaluation-types.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { keptText } from "../span/kept-text.js";
import { isRecord } from "../span/span-facts.js";

/** Longest type that is looked at; a longer one is cut, and then unknown. */
const MAX_TYPE_LENGTH = 5000;

/** What a span asks for. */
export interface EvaluationRequest {
  /** Each once. */
  readonly types: readonly string[];
  /** Types beyond the most that a span may ask for (contract 8). */
  readonly excess: number;
  /** Of this span; undefined where it does not say, or not as a number from 0 to 1. */
  readonly sampleRate: number | undefined;
}

/**
 * Reads the evaluation metadata that a client put on a span (spec 4.9 rule 5).
 *
 * @returns undefined where there is none, and on a span that is never evaluated: one that runs, or is an evaluation.
 */
export function readEvaluationRequest({
  span,
  facts,
}: Pick<PipelineSpan, "span" | "facts">): EvaluationRequest | undefined {
  const attributes: Span["attributes"] | undefined = span.attributes;
  if (!isRecord(attributes) || facts.isRunning || facts.spanType === "evaluation") return undefined;
  const requested: unknown = attributes["evaluation_types"];
  if (!Array.isArray(requested)) return undefined;
  const types = uniqueTypes(requested);
  if (types.length === 0) return undefined;
  const rate: unknown = attributes["evaluation_sample_rate"];
  return {
    types: types.slice(0, MAX_TYPES_PER_SPAN),
    excess: Math.max(0, types.length - MAX_TYPES_PER_SPAN),
    sampleRate: typeof rate === "number" && rate >= 0 && rate <= 1 ? rate : undefined,
  };
}

/** The types of a list, each once; what is no text is none. */
export function uniqueTypes(requested: readonly unknown[]): string[] {
  const types = new Set<string>();
  for (const each of requested) {
    const type = typeof each === "string" ? keptText(each.trim(), MAX_TYPE_LENGTH) : "";
    if (type !== "") types.add(type);
  }
  return [...types];
}

/**
 * The second of two samplings: a span of a trace that is kept is evaluated with this probability (spec 4.9 rule 5). It
 * does not depend on the first, so that both stack.
 *
 * @param random - 0 to 1, 1 excluded.
 */
export function isChosen(request: EvaluationRequest, defaultSampleRate: number, random: number): boolean {
  return random < (request.sampleRate ?? defaultSampleRate);
}
