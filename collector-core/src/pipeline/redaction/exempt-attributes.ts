/**
 * Attributes that redaction leaves alone: they name a kind of thing out of a small set, are labels of metrics and
 * filters, and a change would split what belongs together. Everything else that has text is redacted, what an
 * application adds of its own included.
 */
export const EXEMPT_ATTRIBUTES: ReadonlySet<string> = new Set([
  "model",
  "provider",
  "tool_name",
  "agent",
  "error_type",
  "finish_reason",
  "pricing_profile",
  "evaluation_type",
  "evaluation_types",
  "evaluation_direction",
  "evaluation_outcome",
  "evaluation_source",
  "evaluated_span_id",
  "judge_model",
  "judge_provider",
]);

/** The one of them that is a list of labels. */
const LIST = "evaluation_types";

/** True for a label. Whatever else stands under the name of one is redacted as all else is. */
export function isExempt(key: string, value: unknown): boolean {
  if (typeof value === "string") return EXEMPT_ATTRIBUTES.has(key);
  return key === LIST && Array.isArray(value) && value.every((type) => typeof type === "string");
}
