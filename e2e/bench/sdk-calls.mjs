/**
 * A process that makes async calls in spans of one library and reports the time of a call to its parent, without that of the
 * call itself and without the export, which waits until a burst is over. Arguments: the library (see
 * sdk-libraries.mjs), the URL to send to, the number of calls.
 */
import { createRecorder } from "./sdk-libraries.mjs";

const [, , library = "", url = "", count = "0"] = process.argv;
const BURST = 1000;
const WARM_UP_BURSTS = 60;
const ROUNDS = 5;

const { inSpan, recorded, flush } = await createRecorder(library, url);
const RESULT = { answer: "shipped", days: 3 };
const noop = async () => RESULT;
const kinds = { bare: noop, inSpan: inSpan(noop), recorded: recorded(noop) };

for (let burst = 0; burst < WARM_UP_BURSTS; burst++)
  for (const call of Object.values(kinds)) await microsOf(call);
const bursts = Math.max(1, Math.ceil(Number(count) / BURST / ROUNDS));
const rounds = { bare: [], inSpan: [], recorded: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const [kind, call] of Object.entries(kinds)) {
    globalThis.gc?.();
    let cpu = 0;
    let clock = 0;
    for (let burst = 0; burst < bursts; burst++) {
      const micros = await microsOf(call);
      cpu += micros.cpu;
      clock += micros.clock;
    }
    // The clock has waits for a core, and the CPU time has the threads of the garbage collector.
    rounds[kind].push(Math.min(cpu, clock) / (bursts * BURST));
  }
}
// The round that other work on the machine disturbed least.
const least = Object.fromEntries(Object.entries(rounds).map(([kind, values]) => [kind, Math.min(...values)]));
process.send?.({ inSpanMicros: least.inSpan - least.bare, recordedMicros: least.recorded - least.bare });
process.exit();

/** Calls of one burst, one after the other. Only they are timed, and then their spans are delivered. */
async function microsOf(call) {
  const before = process.cpuUsage();
  const startMs = performance.now();
  for (let index = 0; index < BURST; index++) await call({ order: index, question: "Where is it?" });
  const clock = (performance.now() - startMs) * 1000;
  const { user, system } = process.cpuUsage(before);
  await flush();
  return { cpu: user + system, clock };
}
