import "./obspan";
import { agent } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

const openai = wrapOpenAI(new OpenAI());

const request = (question: string) => ({
  model: "gpt-5-mini",
  messages: [{ role: "user" as const, content: question }],
});

export const support = agent("support", async (question: string) => {
  const { choices } = await openai.chat.completions.create(request(question));
  return choices[0]?.message.content ?? "";
});

export const streamSupport = agent("support", async (question: string) => {
  const stream = await openai.chat.completions.create({ ...request(question), stream: true });
  return stream.toReadableStream();
});
