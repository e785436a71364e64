/**
 * What the SDK costs an app beside other libraries: an async call in a span, what `register` adds to the start, and the
 * event loop under load. Each measurement is a process of its own, and the libraries take turns.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { median, printTable } from "./statistics.mjs";

const RIVALS = ["opentelemetry", "langfuse", "laminar"];
const LIBRARIES = ["obspan", ...RIVALS];
const PROCESS_WITHIN_MS = 120_000;

/** The most of each figure; shares are of OpenTelemetry's in the same rounds. */
const GOALS = { inSpanShare: 0.35, recordedMicros: 3, registerMs: 20, delayMs: 2 };

/**
 * @param {object} options
 * @param {number} options.rounds
 * @param {number} options.calls - in each process, of each kind.
 * @param {number} options.seconds - of the load of spans.
 * @param {string} options.checkout - a built checkout.
 * @param {string} options.url - of a receiver.
 * @param {boolean} options.isAlone - measures only the SDK.
 */
export async function measureBars({ rounds, calls, seconds, checkout, url, isAlone }) {
  const libraries = isAlone ? ["obspan"] : LIBRARIES;
  const samples = Object.fromEntries(["bare", ...libraries].map((name) => [name, { calls: [], delay: [] }]));
  const starts = { plain: [], register: [] };
  for (let round = 0; round < rounds; round++) {
    for (const name of inTurn(libraries, round))
      samples[name].calls.push(await runProcess(checkout, "sdk-calls.mjs", [name, url, String(calls)]));
    for (const name of inTurn(["bare", ...libraries], round))
      samples[name].delay.push(await runProcess(checkout, "sdk-delay.mjs", [name, url, String(seconds)]));
    // Starts are short and vary more.
    for (let start = 0; start < 3; start++)
      for (const kind of inTurn(["plain", "register"], round + start))
        starts[kind].push(await runProcess(checkout, "sdk-start.mjs", [], START_ARGUMENTS[kind]));
  }
  const of = (name, kind, field) => median(samples[name][kind].map((sample) => sample[field]));
  const share = (rival, field) =>
    median(samples.obspan.calls.map((sample, round) => sample[field] / samples[rival].calls[round][field]));
  return {
    libraries: libraries.map((name) => ({
      library: name,
      inSpanMicros: of(name, "calls", "inSpanMicros"),
      inSpanShare: share(name, "inSpanMicros"),
      recordedMicros: of(name, "calls", "recordedMicros"),
      recordedShare: share(name, "recordedMicros"),
      delayMs: of(name, "delay", "p99Ms"),
      spansPerSecond: of(name, "delay", "spansPerSecond"),
    })),
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
export function printBars({ libraries, bareDelayMs, registerMs, registerWallMs }) {
  console.log("\nThe SDK, an async call that does nothing, and the event loop at 5,000 spans a second");
  printTable(
    [
      "",
      "in a span µs",
      "SDK's share",
      "input and output recorded µs",
      "SDK's share",
      "p99 of the delay ms",
      "spans/s",
    ],
    [
      ...libraries.map((row) => [
        row.library,
        row.inSpanMicros,
        row.inSpanShare,
        row.recordedMicros,
        row.recordedShare,
        row.delayMs,
        row.spansPerSecond,
      ]),
      ["no library", "–", "–", "–", "–", bareDelayMs, "–"],
    ],
  );
  console.log(
    `  register adds ${registerMs.toFixed(1)} ms of CPU to the start, ${registerWallMs.toFixed(1)} ms by the clock`,
  );
}

/** @returns {string[]} the goals that are missed, a line each. */
export function missedBars({ libraries, registerMs }) {
  const ofLibrary = (name) => libraries.find(({ library }) => library === name) ?? {};
  const figures = {
    inSpanShare: ofLibrary("opentelemetry").inSpanShare,
    recordedMicros: ofLibrary("obspan").recordedMicros,
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
