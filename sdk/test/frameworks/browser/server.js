import { agent, configure, withTrace } from "@obspan/sdk";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const COLLECTOR = "http://127.0.0.1:8080";
const { OBS_API_KEY = "" } = process.env;

configure({ service: "shop", pushUrl: COLLECTOR });
const answer = agent("answer", async (question) => `You asked: ${question}`);

createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  if (request.url === "/v1/telemetry") {
    // The page does not know the key of the collector: this server adds it.
    const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
    const headers = { "content-type": type, "content-encoding": encoding, "x-api-key": OBS_API_KEY };
    const { status } = await fetch(COLLECTOR + request.url, { method: "POST", headers, body });
    response.writeHead(status).end();
  } else if (request.url === "/ask") {
    response.end(await withTrace(request.headers.traceparent, () => answer(body.toString())));
  } else {
    const file = request.url === "/page.js" ? "dist/page.js" : "index.html";
    response.setHeader("content-type", file.endsWith(".js") ? "text/javascript" : "text/html");
    response.end(await readFile(file));
  }
}).listen(process.env.PORT ?? 3000);
