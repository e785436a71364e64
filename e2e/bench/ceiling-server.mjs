/**
 * The ceiling: the least that a server in Node can do with a batch. It collects the body, parses it and answers 202.
 * What the collector adds to that is what the ratio in the report says.
 */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify(process.cpuUsage()));
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { spans } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const answer = `{"status":"accepted","spans_received":${spans.length}}`;
    response.writeHead(202, { "Content-Type": "application/json", "Content-Length": answer.length });
    response.end(answer);
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");
