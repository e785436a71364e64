import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { agent, configure, currentTraceparent } from "@obspan/sdk";

configure({ service: "shop", pushUrl: "http://127.0.0.1:8080" });

const worker = new Worker(new URL("./worker.js", import.meta.url));

const support = agent("support", async (question) => {
  worker.postMessage({ question, traceparent: currentTraceparent() });
  const [answer] = await once(worker, "message");
  return answer;
});

console.log(await support("Where is my order?"));
worker.postMessage("stop");
