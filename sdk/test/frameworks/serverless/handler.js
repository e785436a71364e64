import { agent, configure, flush, withTrace } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

configure({ service: "shop", pushUrl: "http://127.0.0.1:8080" });
const openai = wrapOpenAI(new OpenAI());

const support = agent("support", async (question) => {
  const { choices } = await openai.chat.completions.create({
    model: "gpt-5-mini",
    messages: [{ role: "user", content: question }],
  });
  return choices[0].message.content;
});

export async function handler(event) {
  try {
    const { question } = JSON.parse(event.body);
    const answer = await withTrace(event.headers.traceparent, () => support(question));
    return { statusCode: 200, body: JSON.stringify({ answer }) };
  } finally {
    await flush({ timeoutMs: 1000 });
  }
}
