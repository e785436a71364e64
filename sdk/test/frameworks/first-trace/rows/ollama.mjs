export default {
  page: "ollama",
  install: ["ollama@0.6.4"],
  replace: [["new Ollama()", "new Ollama({ host: process.env.MODEL_URL })"]],
  unwrap: [["wrapOllama(new Ollama(", "(new Ollama("]],
  exchanges: ["ollama-chat-no-prompt-count"],
  env: (url) => ({ MODEL_URL: url }),
  code: `
const response = await ollama.chat({ model: "llama3", messages: [{ role: "user", content: "Tell me a joke" }] });
console.log(response.message.content);
`,
  expected: [["llm chat llama3"]],
  registered: [["llm chat llama3"]],
};
