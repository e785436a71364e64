/**
 * An app under steady load: it records traces of ten spans with the real SDK until SIGTERM. Then it sends what is left and prints
 * `stats()`. Its settings come from the environment: those of the SDK, and TRACES_PER_SECOND.
 */
import { agent, configure, shutdown, stats, tool } from "@obspan/sdk";

const SPANS_PER_TRACE = 10;
const TICK_MS = 20;
const perSecond = Number(process.env.TRACES_PER_SECOND);

configure();
const step = tool("step", (number) => `step ${number}`);
const task = agent("task", () => {
  for (let number = 1; number < SPANS_PER_TRACE; number++) step(number);
});

const startedAtMs = performance.now();
let recorded = 0;
const ticks = setInterval(() => {
  const due = ((performance.now() - startedAtMs) / 1000) * perSecond;
  for (; recorded < due; recorded++) task();
}, TICK_MS);

process.once("SIGTERM", async () => {
  clearInterval(ticks);
  await shutdown();
  console.log(JSON.stringify(stats()));
});
