/** No line of the app changes. The host of the model is an option, because it is not the provider's. */
export default {
  install: ["openai@7.57.0"],
  arguments: ["--import", "@obspan/sdk/register"],
  exchanges: ["openai-chat-basic"],
  env: (url) => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: "test-key",
    OBS_PROVIDER_HOSTS: new URL(url).host,
  }),
  code: `
import OpenAI from "openai";
const openai = new OpenAI();
const response = await openai.chat.completions.create({
  model: "gpt-5-mini",
  messages: [{ role: "user", content: "Tell me a joke" }],
});
console.log(response.choices[0].message.content);
`,
  expected: [["llm chat gpt-5-mini 15+20"]],
};
