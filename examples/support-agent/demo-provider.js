import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ANSWERS } from "./answers.js";

/** Delay of the demo model before the first word, and for each word, in ms. */
const THINKING_MS = 300;
const WORD_MS = 15;

/**
 * A server with the part of OpenAI's chat completions that the example needs, so that it runs without a key. The answer
 * depends on the number of tool results in the conversation, not on the question.
 *
 * @returns its URL, for the `baseURL` of a client.
 */
export async function startDemoProvider() {
  const server = createServer(async (request, response) => {
    let json = "";
    for await (const piece of request) json += piece;
    const { model, messages, stream_options: options } = JSON.parse(json);
    const results = messages.filter(({ role }) => role === "tool").length;
    const { deltas, finish_reason: finishReason, usage } = ANSWERS[Math.min(results, ANSWERS.length - 1)];

    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (choices, more = {}) => {
      const chunk = {
        id: `chatcmpl-demo-${results}`,
        object: "chat.completion.chunk",
        created: 0,
        model,
        choices,
      };
      response.write(`data: ${JSON.stringify({ ...chunk, ...more })}\n\n`);
    };
    const sendDelta = (delta, reason = null) => send([{ index: 0, delta, finish_reason: reason }]);

    sendDelta({ role: "assistant", content: "" });
    await sleep(THINKING_MS);
    for (const delta of deltas) {
      sendDelta(delta);
      await sleep(WORD_MS);
    }
    sendDelta({}, finishReason);
    if (options?.include_usage) send([], { usage });
    response.end("data: [DONE]\n\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
