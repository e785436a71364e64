import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

/** Makes a plain and a streamed call with the client of each provider, one after the other. */
export async function callModels() {
  const options = { apiKey: "test-key", maxRetries: 0 };
  const openai = new OpenAI({ ...options, baseURL: `${process.env.MODEL_URL}/v1` });
  const anthropic = new Anthropic({ ...options, baseURL: process.env.MODEL_URL });
  const google = new GoogleGenAI({
    apiKey: "test-key",
    apiVersion: "v1beta",
    httpOptions: { baseUrl: process.env.MODEL_URL },
  });

  const chat = { model: "gpt-3.5-turbo", messages: [{ role: "user", content: "Hi" }] };
  await openai.chat.completions.create(chat);
  await readAll(
    await openai.chat.completions.create({ ...chat, stream: true, stream_options: { include_usage: true } }),
  );

  const message = { model: "claude-3-opus-20240229", max_tokens: 1024, messages: chat.messages };
  await anthropic.messages.create(message);
  await readAll(await anthropic.messages.create({ ...message, stream: true }));

  const content = { model: "gemini-2.0-flash", contents: "Hi" };
  await google.models.generateContent(content);
  await readAll(await google.models.generateContentStream(content));
}

async function readAll(stream) {
  for await (const chunk of stream) void chunk;
}
