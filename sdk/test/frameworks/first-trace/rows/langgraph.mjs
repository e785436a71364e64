export default {
  page: "langchain",
  install: ["@langchain/langgraph@1.7.3", "@langchain/core@1.4.0", "@langchain/openai@1.6.0"],
  unwrap: [['import * as callbackManager from "@langchain/core/callbacks/manager";\n', ""]],
  exchanges: ["openai-chat-basic"],
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "test-key" }),
  code: `
const { ChatOpenAI } = await import("@langchain/openai");
const { MessagesAnnotation, StateGraph } = await import("@langchain/langgraph");
const model = new ChatOpenAI({ model: "gpt-5-mini" });
const graph = new StateGraph(MessagesAnnotation)
  .addNode("joke", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge("__start__", "joke")
  .compile();
const { messages } = await graph.invoke({ messages: [{ role: "user", content: "Tell me a joke" }] });
console.log(messages.at(-1).content);
`,
  expected: [["task LangGraph", "  task joke", "    llm chat gpt-5-mini 15+20"]],
  registered: [["task LangGraph", "  task joke", "    llm chat gpt-5-mini 15+20"]],
};
