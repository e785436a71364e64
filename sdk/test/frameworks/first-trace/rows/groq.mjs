/** The page of OpenAI, with the client of Groq. */
export default {
  page: "openai",
  install: ["groq-sdk@1.6.0"],
  replace: [
    ['import OpenAI from "openai"', 'import Groq from "groq-sdk"'],
    ["const openai = wrapOpenAI(new OpenAI())", "const groq = wrapOpenAI(new Groq())"],
  ],
  unwrap: [["wrapOpenAI(new Groq())", "new Groq()"]],
  exchanges: ["groq-chat"],
  env: (url) => ({ GROQ_BASE_URL: url, GROQ_API_KEY: "test-key" }),
  code: `
const response = await groq.chat.completions.create({
  model: "llama3-8b-8192",
  messages: [{ role: "user", content: "Tell me a joke" }],
});
console.log(response.choices[0].message.content);
`,
  expected: [["llm chat llama3-8b-8192 18+70"]],
  registered: [["llm chat llama3-8b-8192 18+70"]],
};
