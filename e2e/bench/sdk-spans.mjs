/**
 * A process that creates spans with one library, exports them over HTTP and reports their cost to its parent.
 * Arguments: the library (see sdk-libraries.mjs), the URL to send to, the number of spans.
 *
 * First the CPU of the whole process since its start for 10,000 spans, then of each span in bursts. All do the same:
 * a span with eight attributes, 350 characters of them text, around an empty block.
 */
import { createRecorder } from "./sdk-libraries.mjs";

const [, , library = "", url = "", count = "0"] = process.argv;
const BURST = 1000;
/** Made by the young process: with its start and its imports, that is what an app of some minutes pays. */
const FIRST_BURSTS = 10;
/** Made before the steady state is measured: until then the compiler still works on what the first ones ran through. */
const WARM_UP_BURSTS = 50;

const importStartMs = performance.now();
const { makeSpan, flush } = await createRecorder(library, url);
const importMs = performance.now() - importStartMs;

for (let burst = 0; burst < FIRST_BURSTS; burst++) await runBurst();
const first = process.cpuUsage();
for (let burst = 0; burst < WARM_UP_BURSTS; burst++) await runBurst();
const cpuBefore = process.cpuUsage();
let createMs = 0;
const bursts = Math.ceil(Number(count) / BURST);
for (let burst = 0; burst < bursts; burst++) createMs += await runBurst();
const { user, system } = process.cpuUsage(cpuBefore);
const spans = bursts * BURST;
process.send?.({
  importMs,
  spans: spans + (FIRST_BURSTS + WARM_UP_BURSTS) * BURST,
  wholeCpuMicros: first.user + first.system,
  wholeSpans: FIRST_BURSTS * BURST,
  createMicros: (createMs / spans) * 1000,
  cpuMicros: (user + system) / spans,
});
process.exit();

/** Makes spans at once, then waits until they are delivered; only the making is timed. */
async function runBurst() {
  const startMs = performance.now();
  for (let index = 0; index < BURST; index++) makeSpan(index);
  const elapsedMs = performance.now() - startMs;
  await flush();
  return elapsedMs;
}
