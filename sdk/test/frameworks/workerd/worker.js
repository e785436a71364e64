import { agent, configureOnce, flush, withTrace } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

const support = agent("support", async (question, env) => {
  const openai = wrapOpenAI(new OpenAI({ apiKey: env.OPENAI_API_KEY, baseURL: env.OPENAI_BASE_URL }));
  const { choices } = await openai.chat.completions.create({
    model: "gpt-5-mini",
    messages: [{ role: "user", content: question }],
  });
  return choices[0].message.content;
});

export default {
  async fetch(request, env, context) {
    configureOnce({ service: "shop", pushUrl: env.OBS_PUSH_URL, apiKey: env.OBS_API_KEY });
    try {
      const { question } = await request.json();
      const answer = await withTrace(request.headers.get("traceparent"), () => support(question, env));
      return Response.json({ answer });
    } finally {
      context.waitUntil(flush());
    }
  },
};
