/**
 * Apps under steady load in one process, a thread each: they record traces of ten spans with the real SDK until SIGTERM. Then they send
 * what is left, and the process prints the sums of their `stats()`. Settings come from the environment: those of the SDK, APPS, and
 * TRACES_PER_SECOND of each app.
 */
import { once } from "node:events";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { agent, configure, shutdown, stats, tool } from "@obspan/sdk";

const SPANS_PER_TRACE = 10;

if (isMainThread) runApps(Number(process.env.APPS));
else runApp(Number(process.env.TRACES_PER_SECOND));

function runApps(count) {
  const apps = Array.from({ length: count }, () => new Worker(new URL(import.meta.url)));
  for (const app of apps) app.once("error", (error) => process.emitWarning(error));
  process.once("SIGTERM", async () => {
    const ended = apps.map((app) => once(app, "message"));
    for (const app of apps) app.postMessage("stop");
    const all = (await Promise.all(ended)).map(([ofApp]) => ofApp);
    const sum = (name) => all.reduce((total, ofApp) => total + ofApp[name], 0);
    console.log(JSON.stringify({ enqueued: sum("enqueued"), acked: sum("acked") }));
  });
}

function runApp(perSecond) {
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
  }, 500 / perSecond);

  parentPort.once("message", async () => {
    clearInterval(ticks);
    await shutdown();
    parentPort.postMessage(stats());
  });
}
