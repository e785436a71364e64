/** A server that replays recorded exchanges, whatever the request says. */
import { once } from "node:events";
import { readFileSync, realpathSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { join } from "node:path";

/** The runner copies this folder elsewhere, with a link to the folder `check` beside it. */
const CHECK = realpathSync(new URL("../check", import.meta.url));
const RECORDINGS = join(CHECK, "../../fixtures/llm-traffic");

/** The root of the repository. */
export const ROOT = join(CHECK, "../../../..");

/**
 * Starts a server on a free port.
 *
 * @param {readonly string[]} names - the exchanges: one for each path, plain or streamed.
 * @param {boolean} [isHttp2] - the client of AWS speaks HTTP/2.
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startReplayServer(names, isHttp2 = false) {
  const exchanges = names.map((name) => JSON.parse(readFileSync(join(RECORDINGS, `${name}.json`), "utf8")));
  const sockets = new Set();
  const server = (isHttp2 ? createHttp2Server : createServer)(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const isStream = JSON.parse(body).stream ?? false;
    const found = exchanges.find(
      ({ request: recorded }) =>
        pathOf(recorded.path) === pathOf(request.url) && (recorded.body.stream ?? false) === isStream,
    );
    if (found === undefined) {
      response.writeHead(422).end(`Nothing is recorded for ${request.url}.`);
      return;
    }
    const { status, headers, body: json, sse } = found.response;
    response.writeHead(status, headers).end(sse ?? JSON.stringify(json));
  }).listen(0, "127.0.0.1");
  server.on("connection", (socket) => sockets.add(socket));
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Clients and recordings may differ in the version of the API. */
function pathOf(url) {
  return new URL(url, "http://host").pathname.replace(/^\/v\d\w*\//, "/");
}
