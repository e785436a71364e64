import { agent } from "@obspan/sdk";
import { TOOL_DEFINITIONS, tools } from "./tools.js";

const INSTRUCTIONS =
  "You are the support agent of a furniture shop. Look the facts up with your tools, and never promise a date that no tool gave you. Answer in two or three sentences.";

/** The agent gives up after this many steps. */
const MAX_TURNS = 5;

/**
 * Creates the agent. It calls the model, runs the requested tools, and calls the model again until there is an answer.
 * With `agent()` a run is one span; the calls of the model and of the tools are its children.
 */
export function createSupportAgent({ openai, model, onText }) {
  return agent("support-agent", async (question) => {
    const messages = [
      { role: "system", content: INSTRUCTIONS },
      { role: "user", content: question },
    ];
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const answer = openai.chat.completions.stream({ model, messages, tools: TOOL_DEFINITIONS });
      answer.on("content", onText);
      const message = await answer.finalMessage();
      messages.push(message);
      if (!message.tool_calls?.length) return message.content;
      messages.push(...(await Promise.all(message.tool_calls.map(callTool))));
    }
    throw new Error(`No answer after ${MAX_TURNS} turns.`);
  });
}

/** Runs one tool. The model receives a failure as its result, and may try something else. */
async function callTool({ id, function: { name, arguments: json } }) {
  const result = await tools[name](JSON.parse(json)).catch((error) => ({ error: error.message }));
  return { role: "tool", tool_call_id: id, content: JSON.stringify(result) };
}
