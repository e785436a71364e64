import cluster from "node:cluster";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
} else {
  const { support } = await import("./support.js");
  createServer(async (request, response) => {
    const { question } = JSON.parse(await text(request));
    response.end(JSON.stringify({ answer: await support(question) }));
  }).listen(process.env.PORT ?? 3000);
}
