/**
 * The ceiling: the least that a server in Node can do with a batch. It collects the body, parses it and answers 202; of
 * OTLP it decodes the protobuf with the collector's own decoder and answers 200. What the collector adds to that is what
 * the ratio in the report says.
 */
import { createServer } from "node:http";
import { readProtobufRequest } from "../../collector-core/dist/otlp/read-protobuf.js";

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify(process.cpuUsage()));
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url === "/v1/traces") {
      readProtobufRequest(Buffer.concat(chunks));
      response.writeHead(200, { "Content-Type": "application/x-protobuf", "Content-Length": 0 });
      response.end();
      return;
    }
    const { spans } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const answer = `{"status":"accepted","spans_received":${spans.length}}`;
    response.writeHead(202, { "Content-Type": "application/json", "Content-Length": answer.length });
    response.end(answer);
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");
