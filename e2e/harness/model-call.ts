/** A span of a model call with every field that the metrics read. */
export const modelCall = (
  traceId: string,
  attributes: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
) => ({
  name: "chat",
  span_type: "llm",
  trace_id: traceId,
  duration_ms: 1200,
  attributes: {
    model: "gpt-5-mini",
    provider: "openai",
    agent: "support-agent",
    tokens_input: 900,
    tokens_output: 120,
    cost_usd: 0.02,
    ttft_ms: 300,
    ...attributes,
  },
  ...fields,
});
