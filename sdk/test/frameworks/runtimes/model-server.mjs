/** A server that replays recorded exchanges with three providers, plain and streamed. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { RECORDINGS } from "./repository.mjs";

/** The recorded exchanges, in the order in which the app makes the calls. */
const EXCHANGES = [
  "openai-chat-basic",
  "openai-chat-stream-toolloop-2",
  "anthropic-messages-basic",
  "anthropic-messages-stream",
  "gemini-generate-basic",
  "gemini-generate-stream",
].map(readExchange);

/** The spans of the calls, as `read-spans.mjs` shows them: what the recordings say about model and tokens. */
export const EXPECTED_CALLS = EXCHANGES.map(({ request, expect }) => {
  const name = request.body.model ?? expect.request_model;
  return `chat ${name}: ${expect.model}, ${expect.tokens_input} + ${expect.tokens_output} tokens`;
});

/** The traces of the plain and the streamed call by the AI SDK, which both go to OpenAI. */
export const EXPECTED_AI_SDK_TRACES = ["generateText", "streamText"].map((name, index) => [
  name,
  "  step 1",
  `    ${EXPECTED_CALLS[index]}`,
]);

/** @returns {Promise<{ url: string, close: () => void }>} a server on a free port. */
export async function startModelServer() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const exchange = find(request.url ?? "", JSON.parse(body));
    if (exchange === undefined) {
      response.writeHead(422).end(`Nothing is recorded for ${request.url}.`);
      return;
    }
    const { status, headers, body: json, sse } = exchange.response;
    response.writeHead(status, headers).end(sse ?? JSON.stringify(json));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function find(path, { stream = false }) {
  return EXCHANGES.find(({ request }) => request.path === path && (request.body.stream ?? false) === stream);
}

function readExchange(name) {
  return JSON.parse(readFileSync(join(RECORDINGS, `${name}.json`), "utf8"));
}
