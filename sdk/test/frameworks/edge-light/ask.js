import { agent, configureOnce, flush, withTrace } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

export const config = { runtime: "edge" };

configureOnce({ service: "shop", pushUrl: "http://127.0.0.1:8080" });
const openai = wrapOpenAI(new OpenAI());

const support = agent("support", async (question) => {
  const { choices } = await openai.chat.completions.create({
    model: "gpt-5-mini",
    messages: [{ role: "user", content: question }],
  });
  return choices[0].message.content;
});

export default async function handler(request, context) {
  try {
    const { question } = await request.json();
    const answer = await withTrace(request.headers.get("traceparent"), () => support(question));
    return Response.json({ answer });
  } finally {
    context.waitUntil(flush());
  }
}
