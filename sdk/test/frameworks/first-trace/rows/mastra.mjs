export default {
  page: "mastra",
  install: ["@mastra/core@1.71.0", "@mastra/observability@1.17.9", "@ai-sdk/openai@4.0.118"],
  unwrap: [
    ['import { Observability } from "@mastra/observability";\n', ""],
    [
      `  observability: new Observability({
    configs: { default: { serviceName: "shop", bridge: new ObspanExporter() } },
  }),
`,
      "",
    ],
  ],
  exchanges: ["openai-chat-basic", "openai-chat-stream-toolloop-2"],
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "test-key" }),
  expected: [["agent joker", "  task step 1", "    llm chat gpt-5-mini 15+20"]],
  // Mastra needs its exporter for agents and steps. The call is recorded by fetch.
  registered: [["llm chat gpt-5-mini 15+20"]],
};
