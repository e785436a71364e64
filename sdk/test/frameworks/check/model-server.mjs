/** A server that replays a recorded chat completion, plain or streamed, instead of a provider. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** @typedef {{ url: string, requests: string[], close: () => void }} ModelServer */

const PLAIN = readExchange("openai-chat-basic");
const STREAMED = readExchange("openai-chat-stream-toolloop-2");

/** The model that the projects ask. */
const MODEL = "gpt-5-mini";

/** The span of a plain call, as `traces.mjs` prints it. */
export const PLAIN_CALL = callLine(PLAIN);
/** The span of a streamed call. */
export const STREAMED_CALL = callLine(STREAMED);
/** The text of the plain response. */
export const ANSWER = PLAIN.response.body.choices[0].message.content;

/** @returns {Promise<ModelServer>} a server on a free port; `url` is the base URL for a client of OpenAI. */
export async function startModelServer() {
  /** @type {string[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    requests.push(body);
    const { status, headers, body: json, sse } = (JSON.parse(body).stream ? STREAMED : PLAIN).response;
    response.writeHead(status, headers).end(sse ?? JSON.stringify(json));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @param {string} name */
function readExchange(name) {
  const file = new URL(`../../fixtures/llm-traffic/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** @param {{ expect: { tokens_input: number, tokens_output: number } }} exchange */
function callLine({ expect }) {
  return `llm chat ${MODEL} ${expect.tokens_input}+${expect.tokens_output}`;
}
