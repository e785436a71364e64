export default {
  page: "openai",
  install: ["openai@7.57.0"],
  unwrap: [["wrapOpenAI(new OpenAI())", "new OpenAI()"]],
  exchanges: ["openai-chat-basic"],
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "test-key" }),
  code: `
const response = await openai.chat.completions.create({
  model: "gpt-5-mini",
  messages: [{ role: "user", content: "Tell me a joke" }],
});
console.log(response.choices[0].message.content);
`,
  expected: [["llm chat gpt-5-mini 15+20"]],
  registered: [["llm chat gpt-5-mini 15+20"]],
};
