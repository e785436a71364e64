export default {
  page: "ai-sdk",
  example: 0,
  install: ["ai@7.0.173", "@ai-sdk/openai@4.0.118"],
  exchanges: ["openai-chat-basic"],
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "test-key" }),
  expected: [["task generateText", "  task step 1", "    llm chat gpt-5-mini 15+20"]],
  registered: [["task generateText", "  task step 1", "    llm chat gpt-5-mini 15+20"]],
};
