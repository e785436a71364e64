export default {
  page: "cohere",
  install: ["cohere-ai@8.1.0"],
  replace: [["new CohereClientV2({})", "new CohereClientV2({ environment: process.env.MODEL_URL })"]],
  unwrap: [["wrapCohere(new CohereClientV2(", "(new CohereClientV2("]],
  exchanges: ["cohere-chat-v2-toolloop-2"],
  env: (url) => ({ MODEL_URL: url, CO_API_KEY: "test-key" }),
  code: `
const response = await cohere.chat({
  model: "command-r",
  messages: [{ role: "user", content: "What is the weather in Tokyo?" }],
});
console.log(response.message.content[0].text);
`,
  expected: [["llm chat command-r 1094+102"]],
  registered: [["llm chat command-r 1094+102"]],
};
