/**
 * What the SDK costs an app beside other libraries: an async call in a span, what `register` adds to the start, and the
 * event loop under load. Each measurement is a process of its own, and the libraries take turns.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { median, printTable, show } from "./statistics.mjs";

const RIVALS = ["opentelemetry", "langfuse", "laminar"];
const LIBRARIES = ["obspan", ...RIVALS];
const PROCESS_WITHIN_MS = 120_000;

/** The most of each figure; shares are of OpenTelemetry's in the same rounds. */
const GOALS = { inSpanShare: 0.35, recordedMicros: 3, steadyCpuShare: 0.4, registerMs: 20, delayMs: 2 };
/** What is measured of a call; see sdk-calls.mjs. */
const CALLS = ["emptyMicros", "inSpanMicros", "recordedMicros"];

/**
 * @param {object} options
 * @param {number} options.rounds
 * @param {number} options.calls - in each process, of each kind.
 * @param {number} options.seconds - that the CPU time at 5,000 spans a second is measured for.
 * @param {string} options.checkout - a built checkout.
 * @param {{ url: string, spans: number }} options.receiver - counts the spans that arrive.
 * @param {boolean} options.isAlone - measures only the SDK.
 */
export async function measureBars({ rounds, calls, seconds, checkout, receiver, isAlone }) {
  const libraries = isAlone ? ["obspan"] : LIBRARIES;
  const samples = Object.fromEntries(["bare", ...libraries].map((name) => [name, { calls: [], delay: [] }]));
  const starts = { plain: [], register: [] };
  const { url } = receiver;
  for (let round = 0; round < rounds; round++) {
    for (const name of inTurn(libraries, round))
      samples[name].calls.push(await runProcess(checkout, "sdk-calls.mjs", [name, url, String(calls)]));
    for (const name of inTurn(["bare", ...libraries], round)) {
      const before = receiver.spans;
      const sample = await runProcess(checkout, "sdk-delay.mjs", [name, url, String(seconds)]);
      samples[name].delay.push({ ...sample, delivered: (receiver.spans - before) / sample.made });
    }
    // Starts are short and vary more.
    for (let start = 0; start < 3; start++)
      for (const kind of inTurn(["plain", "register"], round + start))
        starts[kind].push(await runProcess(checkout, "sdk-start.mjs", [], START_ARGUMENTS[kind]));
  }
  const of = (name, kind, field) => median(samples[name][kind].map((sample) => sample[field]));
  // A loaded machine disturbs a round now and then: the median of the rounds, and the least and the most of them.
  const share = (rival, valueOf) => {
    const shares = samples.obspan.calls.map((_, round) => valueOf("obspan", round) / valueOf(rival, round));
    return { median: median(shares), least: Math.min(...shares), most: Math.max(...shares) };
  };
  const cpuOf = (name, round) => samples[name].delay[round].cpuMicros - samples.bare.delay[round].cpuMicros;
  return {
    libraries: libraries.map((name) => ({
      library: name,
      ...Object.fromEntries(CALLS.map((field) => [field, of(name, "calls", field)])),
      shares: Object.fromEntries([
        ...CALLS.map((field) => [field, share(name, (library, at) => samples[library].calls[at][field])]),
        ["steadyCpuMicros", share(name, cpuOf)],
      ]),
      steadyCpuMicros: median(samples[name].delay.map((_, round) => cpuOf(name, round))),
      delayMs: of(name, "delay", "p99Ms"),
      spansPerSecond: of(name, "delay", "spansPerSecond"),
      delivered: of(name, "delay", "delivered"),
    })),
    contextMicros: median(libraries.map((name) => of(name, "calls", "contextMicros"))),
    bareDelayMs: of("bare", "delay", "p99Ms"),
    registerMs: median(starts.register.map(({ cpuMs }, at) => cpuMs - starts.plain[at].cpuMs)),
    registerWallMs: median(starts.register.map(({ wallMs }, at) => wallMs - starts.plain[at].wallMs)),
  };
}

const START_ARGUMENTS = { plain: [], register: ["--import", "@obspan/sdk/register"] };

function inTurn(names, round) {
  return round % 2 === 0 ? names : names.toReversed();
}

/** @param {Awaited<ReturnType<typeof measureBars>>} results */
export function printBars({ libraries, contextMicros, bareDelayMs, registerMs, registerWallMs }) {
  console.log(
    "\nThe SDK, an async call that does nothing in a span, without the export (the SDK's share, of all rounds)",
  );
  printTable(
    ["", "no attributes µs", "share", "8 attributes µs", "share", "input and output µs", "share"],
    libraries.map((row) => [
      row.library,
      ...CALLS.flatMap((field) => [row[field], showShare(row.shares[field])]),
    ]),
  );
  console.log(`  the floor, AsyncLocalStorage.run() and one then(), takes ${show(contextMicros)} µs`);
  console.log("\nThe SDK at 5,000 spans a second, with the export");
  printTable(
    ["", "CPU µs a span", "SDK's share", "p99 of the delay ms", "spans/s", "delivered"],
    [
      ...libraries.map((row) => [
        row.library,
        row.steadyCpuMicros,
        showShare(row.shares.steadyCpuMicros),
        row.delayMs,
        row.spansPerSecond,
        row.delivered,
      ]),
      ["no library", "–", "–", bareDelayMs, "–", "–"],
    ],
  );
  console.log(
    `  register adds ${registerMs.toFixed(1)} ms of CPU to the start, ${registerWallMs.toFixed(1)} ms by the clock`,
  );
}

function showShare({ median: middle, least, most }) {
  return `${show(middle)} (${show(least)}–${show(most)})`;
}

/** @returns {string[]} the goals that are missed, a line each. */
export function missedBars({ libraries, registerMs }) {
  const ofLibrary = (name) => libraries.find(({ library }) => library === name) ?? {};
  const figures = {
    inSpanShare: ofLibrary("opentelemetry").shares?.inSpanMicros.median,
    recordedMicros: ofLibrary("obspan").recordedMicros,
    steadyCpuShare: ofLibrary("opentelemetry").shares?.steadyCpuMicros.median,
    delayMs: ofLibrary("obspan").delayMs,
    registerMs,
  };
  return Object.entries(GOALS)
    .filter(([name, goal]) => figures[name] > goal)
    .map(([name, goal]) => `  sdk: ${name} is ${figures[name].toFixed(2)}, the goal is ${goal}`);
}

/**
 * Runs a process of a checkout.
 *
 * @param {string} checkout
 * @param {string} script - in e2e/bench.
 * @param {readonly string[]} args
 * @param {readonly string[]} [execArgv]
 * @returns {Promise<object>} what it sends.
 */
export async function runProcess(checkout, script, args, execArgv = []) {
  const child = fork(join(checkout, "e2e/bench", script), args, {
    cwd: join(checkout, "e2e"),
    execArgv: ["--expose-gc", ...execArgv],
    timeout: PROCESS_WITHIN_MS,
  });
  let message;
  child.once("message", (sent) => (message = sent));
  await new Promise((resolve) => child.once("exit", resolve));
  if (message === undefined) throw new Error(`${script} ${args.join(" ")} ended without figures.`);
  return message;
}
