/**
 * Asks a support agent a question, and prints the URL of the trace.
 *
 *   node main.js                                  prepared answers, no key needed
 *   OPENAI_API_KEY=… node main.js "Where is …?"   a real model
 */
import { configure, currentSpan, flush, observe, stats } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";
import { createSupportAgent } from "./agent.js";
import { startDemoProvider } from "./demo-provider.js";

const collector = process.env.OBS_PUSH_URL ?? "http://127.0.0.1:8080";
configure({ service: "furniture-shop", pushUrl: collector, enableCostCalculation: true });

const question = process.argv[2] ?? "Where is my order 48190? It was due on Tuesday.";
const key = process.env.OPENAI_API_KEY;
const demo = key === undefined ? await startDemoProvider() : undefined;

// Records every call of the client as a span.
const openai = wrapOpenAI(new OpenAI(demo === undefined ? {} : { apiKey: "none", baseURL: demo.url }));

const ask = createSupportAgent({
  openai,
  model: process.env.OPENAI_MODEL ?? "gpt-5-mini",
  onText: (text) => process.stdout.write(text),
});

console.log(`> ${question}\n`);
let traceId = "";
await observe({ name: "support ticket" }, async () => {
  traceId = currentSpan().traceId;
  await ask(question);
});
console.log("\n");

await flush();
const { acked } = stats();
if (acked === 0) console.log(`No collector at ${collector}: start one with "npm start".`);
else console.log(`${acked} spans: ${collector}/traces/${traceId}`);
await demo?.close();
