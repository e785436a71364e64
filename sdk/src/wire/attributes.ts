/**
 * The attribute keys that the collector knows (spec 2.2, contract 1). Other keys are stored unchanged.
 *
 * The order matters: if a span has more than `limits.max_span_attributes` attributes, the known attributes are kept first,
 * in this order, and then the others in their own order.
 */
export const KNOWN_ATTRIBUTES = [
  "model",
  "provider",
  "tokens_input",
  "tokens_output",
  "tokens_cached",
  "tokens_reasoning",
  "cost_usd",
  "ttft_ms",
  "tool_name",
  "agent",
  "error_type",
  "error_message",
  "error_stack",
  "session_id",
  "user_id",
  "stream",
  "prompt_text",
  "completion_text",
  "prompt_messages",
  "completion_messages",
  "tool_definitions",
  "input_text",
  "output_text",
  "temperature",
  "max_tokens",
  "finish_reason",
  "pricing_profile",
  "evaluation_types",
  "evaluation_sample_rate",
  "evaluation_type",
  "evaluation_score",
  "evaluation_label",
  "evaluation_explanation",
  "evaluation_direction",
  "evaluation_outcome",
  "evaluation_source",
  "evaluation_comment",
  "evaluated_span_id",
  "judge_model",
  "judge_provider",
  "judge_tokens_input",
  "judge_tokens_output",
  "judge_cost_usd",
] as const;

/** One of {@link KNOWN_ATTRIBUTES}. */
export type KnownAttribute = (typeof KNOWN_ATTRIBUTES)[number];
