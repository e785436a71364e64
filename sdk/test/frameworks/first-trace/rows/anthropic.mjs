export default {
  page: "anthropic",
  install: ["@anthropic-ai/sdk@1.12.0"],
  unwrap: [["wrapAnthropic(new Anthropic())", "new Anthropic()"]],
  exchanges: ["anthropic-messages-basic"],
  env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key" }),
  code: `
const message = await anthropic.messages.create({
  model: "claude-sonnet-4-5",
  max_tokens: 1024,
  messages: [{ role: "user", content: "Tell me a joke" }],
});
console.log(message.content[0].text);
`,
  expected: [["llm chat claude-sonnet-4-5 17+137"]],
  registered: [["llm chat claude-sonnet-4-5 17+137"]],
};
