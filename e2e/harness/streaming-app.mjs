/**
 * An agent that reads a streamed answer with the real OpenAI client, and prints it. All settings come from the environment.
 */
import { agent, configure } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

configure();
const client = wrapOpenAI(new OpenAI({ maxRetries: 0 }));

const answer = agent("answer a question", async (question) => {
  const stream = await client.chat.completions.create({
    model: "gpt-5-mini",
    messages: [{ role: "user", content: question }],
    stream: true,
  });
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  return text;
});

process.stdout.write(await answer("What is the capital of France?"));
