import { parentPort } from "node:worker_threads";
import { configure, task, withTrace } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

configure({ service: "shop", pushUrl: "http://127.0.0.1:8080" });
const openai = wrapOpenAI(new OpenAI());

const answer = task("answer", async (question) => {
  const { choices } = await openai.chat.completions.create({
    model: "gpt-5-mini",
    messages: [{ role: "user", content: question }],
  });
  return choices[0].message.content;
});

parentPort.on("message", async (message) => {
  if (message === "stop") {
    parentPort.close();
    return;
  }
  const { question, traceparent } = message;
  parentPort.postMessage(await withTrace(traceparent, () => answer(question)));
});
