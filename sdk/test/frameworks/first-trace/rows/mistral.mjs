export default {
  page: "mistral",
  install: ["@mistralai/mistralai@2.7.0"],
  replace: [["new Mistral()", "new Mistral({ serverURL: process.env.MODEL_URL })"]],
  unwrap: [["wrapMistral(new Mistral(", "(new Mistral("]],
  exchanges: ["mistral-chat"],
  env: (url) => ({ MODEL_URL: url, MISTRAL_API_KEY: "test-key" }),
  code: `
const response = await mistral.chat.complete({
  model: "mistral-tiny",
  messages: [{ role: "user", content: "Tell me a joke" }],
});
console.log(response.choices[0].message.content);
`,
  expected: [["llm chat mistral-tiny 11+96"]],
  registered: [["llm chat mistral-tiny 11+96"]],
};
