import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";

/** Makes a plain and a streamed call by the AI SDK, one after the other. */
export async function callModels() {
  const openai = createOpenAI({ apiKey: "test-key", baseURL: `${process.env.MODEL_URL}/v1` });
  const call = { model: openai.chat("gpt-3.5-turbo"), prompt: "Hi", maxRetries: 0 };
  await generateText(call);
  for await (const text of streamText(call).textStream) void text;
}
