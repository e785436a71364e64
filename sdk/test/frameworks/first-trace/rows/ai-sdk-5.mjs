export default {
  page: "ai-sdk",
  example: 1,
  install: ["ai@5.0.277", "@ai-sdk/openai@2.0.131"],
  unwrap: [
    [
      `
  experimental_telemetry: { isEnabled: true, tracer: obspanTracer(), functionId: "joker" },`,
      "",
    ],
  ],
  exchanges: ["openai-chat-basic"],
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "test-key" }),
  expected: [["agent joker", "  llm chat gpt-5-mini 15+20"]],
  // Version 5 has no hook for a process: the call is recorded by fetch.
  registered: [["llm chat gpt-5-mini 15+20"]],
};
