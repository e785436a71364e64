/**
 * Attributes that are not redacted: labels of metrics and filters with a small set of values. All other text is
 * redacted, including custom attributes of an application.
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

/** The only attribute with a list of labels. */
const LIST = "evaluation_types";

/** True for a label attribute with a value of the expected type. Other values are redacted. */
export function isExempt(key: string, value: unknown): boolean {
  if (typeof value === "string") return EXEMPT_ATTRIBUTES.has(key);
  return key === LIST && Array.isArray(value) && value.every((type) => typeof type === "string");
}
