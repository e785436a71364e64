/**
 * A process that makes 5,000 spans a second with one library, exports them, and reports how late its event loop was, and the
 * CPU time of all its threads for a span. No garbage collection is forced.
 * Arguments: the library (see sdk-libraries.mjs), the URL to send to, the seconds.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createRecorder } from "./sdk-libraries.mjs";

const [, , library = "", url = "", seconds = "0"] = process.argv;
const INTERVAL_MS = 10;
const SPANS_PER_INTERVAL = 50;
const WARM_UP_MS = 1500;
/** The histogram has the time between two timers, which are this far apart. */
const RESOLUTION_MS = 1;

const { makeSpan, flush } = await createRecorder(library, url);
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let made = 0;
let dueAtMs = performance.now();
const timer = setInterval(() => {
  for (const nowMs = performance.now(); dueAtMs <= nowMs; dueAtMs += INTERVAL_MS)
    for (let index = 0; index < SPANS_PER_INTERVAL; index++) makeSpan(made++);
}, INTERVAL_MS);
setTimeout(() => {
  delay.enable();
  const start = { ms: performance.now(), made, cpu: process.cpuUsage() };
  setTimeout(() => void report(start), Number(seconds) * 1000);
}, WARM_UP_MS);

async function report(start) {
  delay.disable();
  clearInterval(timer);
  const { user, system } = process.cpuUsage(start.cpu);
  const spans = made - start.made;
  const spansPerSecond = spans / ((performance.now() - start.ms) / 1000);
  await flush();
  process.send?.({
    p99Ms: delay.percentile(99) / 1e6 - RESOLUTION_MS,
    spansPerSecond,
    cpuMicros: (user + system) / spans,
    made,
  });
  process.exit();
}
