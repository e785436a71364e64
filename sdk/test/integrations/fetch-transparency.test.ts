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

function answerWith(text: string): { readonly bodies: string[] } {
  const bodies: string[] = [];
  answer = (request, response) => {
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      bodies.push(`${String(request.headers["x-id"])} ${body}`);
      response.writeHead(200, { "content-type": "application/json" }).end(text);
    });
  };
  return { bodies };
}

it("sends what the app passed, also if the app changes it directly after the call", async () => {
  const { bodies } = answerWith("{}");
  const headers = new Headers();
  const init = { method: "POST", headers, body: "" };
  const sent: Promise<Response>[] = [];
  for (const id of ["1", "2", "3"]) {
    headers.set("x-id", id);
    init.body = `{"model":"${id}"}`;
    sent.push(fetch(url, init));
  }
  for (const response of await Promise.all(sent)) await response.text();
  expect(bodies.sort()).toEqual(['1 {"model":"1"}', '2 {"model":"2"}', '3 {"model":"3"}']);
  expect(
    takeSpans()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["chat 1", "chat 2", "chat 3"]);
});

it("uses a Request up at once, and sends its body while it arrives", async () => {
  let arrived: () => void = () => undefined;
  const firstPiece = new Promise<void>((resolve) => (arrived = resolve));
  answer = (request, response) => {
    request.on("data", arrived);
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  };
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from('{"model":'));
      await firstPiece;
      controller.enqueue(Buffer.from('"m"}'));
      controller.close();
    },
  });
  const request = new Request(url, { method: "POST", body, duplex: "half" });
  const sent = fetch(request);
  expect(request.bodyUsed).toBe(true);
  await (await sent).text();
  expect(takeSpans().map(({ name }) => name)).toEqual(["chat m"]);
});

it("rejects the second reading of a body, and keeps the address of a clone", async () => {
  answerWith("[1]");
  const response = await fetch(url, post());
  const clone = response.clone();
  expect([clone.url, clone.type, clone.redirected]).toEqual([
    response.url,
    response.type,
    response.redirected,
  ]);
  expect(clone.clone().url).toBe(url);
  expect(await response.json()).toEqual([1]);
  await expect(response.text().catch((error: unknown) => (error as Error).name)).resolves.toBe("TypeError");
  expect(await clone.json()).toEqual([1]);
});

it("rejects with the error of fetch, and leaves no promise unhandled", async () => {
  const aborted = AbortSignal.abort(new RangeError("stop"));
  await expect(fetch(url, { ...post(), signal: aborted })).rejects.toBe(aborted.reason);
  await expect(fetch(new Request(url, post()), { signal: aborted })).rejects.toBe(aborted.reason);
  expect(takeSpans().map(({ status }) => status)).toEqual(["ERROR", "ERROR"]);
});

it("gets an answer that comes before the body of a Request is sent", async () => {
  answer = (_request, response) => response.writeHead(401, { connection: "close" }).end("{}");
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from("{")),
  });
  const request = new Request(url, { method: "POST", body, duplex: "half" });
  expect((await fetch(request)).status).toBe(401);
});
