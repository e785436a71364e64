/**
 * A process that makes async calls in spans of one library and reports the time of a call to its parent, without that of the
 * call itself and without the export, which waits until a burst is over. Arguments: the library (see
 * sdk-libraries.mjs), the URL to send to, the number of calls.
 *
 * Garbage is collected when the engine decides to, as in an app, and counts. A collection that is forced would discard the
 * compiled code of some libraries, and the rounds after it would measure the compiler.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createRecorder } from "./sdk-libraries.mjs";

const [, , library = "", url = "", count = "0"] = process.argv;
const BURST = 1000;
const WARM_UP_BURSTS = 40;
const ROUNDS = 5;

const { empty, inSpan, recorded, flush } = await createRecorder(library, url);
const RESULT = { answer: "shipped", days: 3 };
const noop = async () => RESULT;
const storage = new AsyncLocalStorage();
const kinds = {
  bare: noop,
  // The least that any library pays that knows the parent of a span, and the end of a call.
  context: (input) => storage.run(input, () => noop(input)).then((value) => value),
  empty: empty(noop),
  inSpan: inSpan(noop),
  recorded: recorded(noop),
};

await runBursts(WARM_UP_BURSTS);
const bursts = Math.max(1, Math.ceil(Number(count) / BURST / ROUNDS));
const rounds = [];
for (let round = 0; round < ROUNDS; round++) rounds.push(await runBursts(bursts));
// The round that other work on the machine disturbed least.
const least = (kind) => Math.min(...rounds.map((round) => round[kind]));
process.send?.(
  Object.fromEntries(
    ["context", "empty", "inSpan", "recorded"].map((kind) => [`${kind}Micros`, least(kind) - least("bare")]),
  ),
);
process.exit();

/** The time of a call of each kind; the kinds take turns, burst by burst. */
async function runBursts(howMany) {
  const totals = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { cpu: 0, clock: 0 }]));
  for (let burst = 0; burst < howMany; burst++) {
    for (const [kind, call] of Object.entries(kinds)) {
      const { cpu, clock } = await microsOf(call);
      totals[kind].cpu += cpu;
      totals[kind].clock += clock;
    }
  }
  // The clock has waits for a core, and the CPU time has the threads of the garbage collector.
  return Object.fromEntries(
    Object.entries(totals).map(([kind, { cpu, clock }]) => [kind, Math.min(cpu, clock) / (howMany * BURST)]),
  );
}

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
