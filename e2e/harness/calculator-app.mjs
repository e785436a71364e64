/**
 * A web server with an agent, which uses the published SDK and the real OpenAI client. It runs in its own folder, with
 * only these installed. All settings come from the environment.
 *
 * POST /ask runs the agent; POST /flush and GET /stats call the SDK's functions of these names.
 */
import { createServer } from "node:http";
import { agent, configure, currentSpan, flush, stats, tool } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

configure();
const openai = wrapOpenAI(new OpenAI());

const TOOLS = [
  {
    type: "function",
    function: {
      name: "calculator",
      description:
        "Useful for getting the result of a math expression. The input to this tool should be a valid mathematical expression that could be executed by a simple calculator.",
      parameters: {
        type: "object",
        properties: { input: { type: "string" } },
        additionalProperties: false,
        $schema: "http://json-schema.org/draft-07/schema#",
      },
    },
  },
];

const calculator = tool("calculator", async ({ input }) => {
  if (input !== "5 * (10 + 2)") throw new Error(`I cannot do ${input}.`);
  return "60";
});

const mathsAgent = agent("maths-agent", async (question) => {
  const messages = [
    { role: "system", content: "You are a helpful assistant that can use tools to answer questions." },
    { role: "user", content: question },
  ];
  for (;;) {
    const { text, calls } = await askModel(messages);
    if (calls.length === 0) return { answer: text, traceId: currentSpan().traceId };
    messages.push({ role: "assistant", content: text, tool_calls: calls });
    for (const { id, function: called } of calls) {
      const content = await calculator(JSON.parse(called.arguments));
      messages.push({ role: "tool", content, tool_call_id: id });
    }
  }
});

async function askModel(messages) {
  const stream = await openai.chat.completions.create({
    model: "gpt-3.5-turbo",
    messages,
    tools: TOOLS,
    stream: true,
  });
  let text = "";
  const calls = [];
  for await (const { choices } of stream) {
    const [{ delta }] = choices;
    text += delta.content ?? "";
    for (const { index, id, function: piece } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type: "function", function: { name: piece.name, arguments: "" } };
      calls[index].function.arguments += piece.arguments ?? "";
    }
  }
  return { text, calls };
}

const ROUTES = {
  "POST /ask": () => mathsAgent("Solve `5 * (10 + 2)`"),
  "POST /flush": async () => {
    await flush();
    return stats();
  },
  "GET /stats": async () => stats(),
};

const server = createServer(async (request, response) => {
  try {
    const answer = await ROUTES[`${request.method} ${request.url}`]();
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, "127.0.0.1", () => console.log(`App on http://127.0.0.1:${server.address().port}`));
