import type { NormalizedSpan } from "../api-schema/trace.js";
import { isRecord, isTruncated } from "./values.js";

const NO_ATTRIBUTES: Readonly<Record<string, unknown>> = {};

/** The attributes of a span; none if the collector sent something other than an object. */
export function attributesOf({ attributes }: NormalizedSpan): Readonly<Record<string, unknown>> {
  return isRecord(attributes) ? attributes : NO_ATTRIBUTES;
}

/** The value of an attribute; undefined if the span does not have it. */
export function attributeOf(span: NormalizedSpan, key: string): unknown {
  const attributes = attributesOf(span);
  return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
}

/** A non-empty text attribute; for a truncated one, the preview. */
export function textOf(span: NormalizedSpan, key: string): string | undefined {
  const value = attributeOf(span, key);
  const text = isTruncated(value) ? value.preview : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** An attribute that is a number. */
export function numberOf(span: NormalizedSpan, key: string): number | undefined {
  const value = attributeOf(span, key);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The cost of a span. */
export interface SpanCost {
  readonly usd: number;
  /** True if the collector computed it from the price of the model, because the app sent none. */
  readonly isComputed: boolean;
}

/** The cost of a span; undefined if it is not known. */
export function costOf(span: NormalizedSpan): SpanCost | undefined {
  const usd = span.cost_usd ?? numberOf(span, "cost_usd");
  return usd === undefined ? undefined : { usd, isComputed: span.cost_source === "computed" };
}

/** Whether a span has tokens, cost and a first token. */
export function isModelCall(span: NormalizedSpan): boolean {
  return span.span_type === "llm" || span.span_type === "embedding";
}

/** Whether a span failed by itself, and not through a child. */
export function isFailure(span: NormalizedSpan): boolean {
  return span.status === "ERROR" && span.error_propagated !== true;
}

/** The same of the app itself: an evaluation fails for reasons of its judge. */
export function isAppFailure(span: NormalizedSpan): boolean {
  return isFailure(span) && span.span_type !== "evaluation";
}

/** The beginning of a text, without line breaks. */
export function oneLine(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** Attributes with the texts, figures and error of a span, which have a place of their own wherever a span is shown whole. */
export const CONTENT_ATTRIBUTES: ReadonlySet<string> = new Set([
  "prompt_messages",
  "prompt_text",
  "input_text",
  "completion_messages",
  "completion_text",
  "output_text",
  "tool_definitions",
  "tokens_input",
  "tokens_output",
  "tokens_cached",
  "tokens_reasoning",
  "cost_usd",
  "ttft_ms",
  "error_type",
  "error_message",
  "error_stack",
]);
