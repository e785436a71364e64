export default {
  page: "ai-sdk",
  example: 0,
  install: ["ai@6.0.326", "@ai-sdk/openai@3.0.141"],
  exchanges: ["openai-chat-basic"],
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "test-key" }),
  expected: [["task generate", "  task step 1", "    llm chat gpt-5-mini 15+20"]],
  registered: [["task generate", "  task step 1", "    llm chat gpt-5-mini 15+20"]],
};
