import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { hookFetch } from "../../src/integrations/fetch/hook-fetch.js";
import { collectGarbage } from "../collect-garbage.js";

let server: Server;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
  configure({ service: "fetch-transparency" });
  server = createServer((request, response) => answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  url = `http://127.0.0.1:${port}/v1/chat/completions`;
  hookFetch([`127.0.0.1:${port}`]);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  takeSpans();
});

const post = (body = '{"model":"m"}'): RequestInit => ({ method: "POST", body });

it("lets go of the connection of a response that the app drops unread", async () => {
  const closed = new Promise<void>((resolve) => {
    answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n");
      response.on("close", resolve);
    };
  });
  await (async () => expect((await fetch(url, post())).status).toBe(200))();
  const timer = setInterval(collectGarbage, 20);
  await closed;
  clearInterval(timer);
});
