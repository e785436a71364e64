/**
 * A process that makes 5,000 spans a second with one library, exports them, and reports the CPU time of all its threads for
 * a span, and then how late its event loop was. No garbage collection is forced.
 * Arguments: the library (see sdk-libraries.mjs), the URL to send to, the seconds that the CPU time is measured for.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createRecorder } from "./sdk-libraries.mjs";

const [, , library = "", url = "", seconds = "0"] = process.argv;
const INTERVAL_MS = 10;
const SPANS_PER_INTERVAL = 50;
/** First more spans, until the compiler has done its work on what runs once a batch, too; then the measured rate, for a while. */
const WARM_UP_MS = 10_000;
const WARM_UP_FACTOR = 4;
const SETTLE_MS = 1000;
/** After the CPU time: to measure the delay, the process wakes up every millisecond. */
const DELAY_MS = 2000;
/** The histogram has the time between two timers, which are this far apart. */
const RESOLUTION_MS = 1;

const { makeSpan, flush } = await createRecorder(library, url);
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let made = 0;
let spansPerInterval = SPANS_PER_INTERVAL * WARM_UP_FACTOR;
let dueAtMs = performance.now();
const timer = setInterval(() => {
  for (const nowMs = performance.now(); dueAtMs <= nowMs; dueAtMs += INTERVAL_MS)
    for (let index = 0; index < spansPerInterval; index++) makeSpan(made++);
}, INTERVAL_MS);
await sleep(WARM_UP_MS);
spansPerInterval = SPANS_PER_INTERVAL;
await sleep(SETTLE_MS);
const start = { ms: performance.now(), made, cpu: process.cpuUsage() };
await sleep(Number(seconds) * 1000);
const { user, system } = process.cpuUsage(start.cpu);
const spans = made - start.made;
const spansPerSecond = spans / ((performance.now() - start.ms) / 1000);
delay.enable();
await sleep(DELAY_MS);
delay.disable();
clearInterval(timer);
await flush();
process.send?.({
  p99Ms: delay.percentile(99) / 1e6 - RESOLUTION_MS,
  spansPerSecond,
  cpuMicros: (user + system) / spans,
  made,
});
process.exit();
