export default {
  page: "langchain",
  install: ["langchain@1.5.14", "@langchain/core@1.4.0", "@langchain/openai@1.6.0"],
  unwrap: [['import * as callbackManager from "@langchain/core/callbacks/manager";\n', ""]],
  exchanges: ["openai-chat-basic"],
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "test-key" }),
  code: `
const { ChatOpenAI } = await import("@langchain/openai");
const { createAgent } = await import("langchain");
const model = new ChatOpenAI({ model: "gpt-5-mini" });
const joker = createAgent({ model, tools: [], name: "joker" });
const { messages } = await joker.invoke({ messages: [{ role: "user", content: "Tell me a joke" }] });
console.log(messages.at(-1).content);
`,
  expected: [["agent joker", "  task model_request", "    llm chat gpt-5-mini 15+20"]],
  registered: [["agent joker", "  task model_request", "    llm chat gpt-5-mini 15+20"]],
};
