import { agent, configureOnce, flush } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

const support = agent("support", async (question, env) => {
  const openai = wrapOpenAI(new OpenAI({ apiKey: env.OPENAI_API_KEY, baseURL: env.OPENAI_BASE_URL }));
  const messages = [{ role: "user", content: question }];
  const stream = await openai.chat.completions.create({ model: "gpt-5-mini", messages, stream: true });
  return stream.toReadableStream();
});

export default {
  async fetch(request, env, context) {
    configureOnce({ service: "shop-stream", pushUrl: env.OBS_PUSH_URL, apiKey: env.OBS_API_KEY });
    const answer = await support(await request.text(), env);
    const { readable, writable } = new TransformStream();
    context.waitUntil(answer.pipeTo(writable).finally(() => flush()));
    return new Response(readable);
  },
};
