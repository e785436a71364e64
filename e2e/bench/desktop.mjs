/**
 * Whether the collector can stay in the main process of the desktop app (docs/decisions/0010-the-collector-in-the-main-process.md):
 * how long the event loop is busy under load, how long a message of the page waits, and what the app costs while nothing happens.
 *
 * A plain Node process stands for the main process, and the channel of a forked process for Electron's IPC: the same loop, other
 * pipes. The memory is that of the Node process alone.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { projectDirectory } from "./servers.mjs";
import { printTable, quantile } from "./statistics.mjs";

const REQUESTS_PER_SECOND = 1000;
const SPANS = 10;
/** Messages of the page: more than a person causes. */
const PING_MS = 10;

const GOALS = [
  { name: "event loop delay p99", figure: "delayP99Ms", unit: "ms", limit: 20 },
  { name: "IPC round trip p99", figure: "roundTripP99Ms", unit: "ms", limit: 30 },
  { name: "CPU, idle", figure: "idleCpuPct", unit: "% of a core", limit: 1 },
  { name: "resident, idle", figure: "idleRssMb", unit: "MB", limit: 250 },
];

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.seconds - of load, and without.
 * @param {number} options.textLength
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 */
export async function measureDesktop({ generator, seconds, textLength, checkout = projectDirectory }) {
  const main = fork(fileURLToPath(new URL("./desktop-main.mjs", import.meta.url)), [checkout], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const next = (type) =>
    new Promise((resolve, reject) => {
      const onMessage = (message) => {
        if (message.type !== type) return;
        main.off("message", onMessage);
        resolve(message);
      };
      main.on("message", onMessage);
      main.once("exit", (code) => reject(new Error(`The main process ended with code ${code}.`)));
    });
  const ask = async (type) => {
    const answer = next(type);
    main.send({ type });
    return await answer;
  };
  try {
    const { port } = await next("ready");
    const idle = await idleOf(ask, seconds);
    // What the machine adds: the same process without load, just before.
    const floor = await responsiveness(main, ask, () => pause((seconds * 1000) / 2));
    const before = await ask("usage");
    const order = { port, spans: SPANS, textLength, seconds, connections: 16, sleeps: true };
    const { done: sent, ...loadedLoop } = await responsiveness(main, ask, () =>
      generator.run({ ...order, ratePerSecond: REQUESTS_PER_SECOND }),
    );
    const loaded = await ask("usage");
    return {
      requestsPerSecond: sent.requests / sent.seconds,
      otherAnswers: sent.otherAnswers,
      lostSpans: loaded.lost,
      ...loadedLoop,
      floor,
      loadCpuPct: cpuPctOf(before, loaded),
      idleCpuPct: idle.cpuPct,
      idleRssMb: idle.rssMb,
      loadedRssMb: loaded.rssMb,
      load: loadavg()[0],
    };
  } finally {
    if (main.connected) main.send({ type: "stop" });
    await once(main, "exit");
  }
}

/**
 * V8 gives the memory of the start back in two passes over the heap, which take a tenth of a second each. They come within half a
 * minute, and say nothing of the app that is idle.
 */
const SETTLED_MS = 40_000;

async function idleOf(ask, seconds) {
  await pause(SETTLED_MS);
  const before = await ask("usage");
  await pause(seconds * 1000);
  const after = await ask("usage");
  return { ...after, cpuPct: cpuPctOf(before, after) };
}

function cpuPctOf(before, after) {
  return ((after.cpuMs - before.cpuMs) / (after.atMs - before.atMs)) * 100;
}

/** How long the loop of the main process, and a message to it, wait while something runs. */
async function responsiveness(main, ask, run) {
  main.send({ type: "watch" });
  const pings = pingRegularly(main);
  const done = await run();
  const roundTrips = pings.stop();
  const { p99Ms, maxMs } = await ask("delay");
  return {
    done,
    delayP99Ms: p99Ms,
    delayMaxMs: maxMs,
    roundTripP50Ms: quantile(roundTrips, 0.5),
    roundTripP99Ms: quantile(roundTrips, 0.99),
  };
}

/** Sends a message every few milliseconds, whether or not earlier ones were answered. */
function pingRegularly(main) {
  const sentAtMs = new Map();
  const roundTrips = [];
  let id = 0;
  const onMessage = (message) => {
    if (message.type === "ping") roundTrips.push(performance.now() - sentAtMs.get(message.id));
  };
  main.on("message", onMessage);
  const timer = setInterval(() => {
    id++;
    sentAtMs.set(id, performance.now());
    main.send({ type: "ping", id });
  }, PING_MS);
  return {
    stop() {
      clearInterval(timer);
      main.off("message", onMessage);
      return Float64Array.from(roundTrips).sort();
    },
  };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function printDesktop(results) {
  const { requestsPerSecond, delayMaxMs, roundTripP50Ms, loadCpuPct, loadedRssMb, lostSpans, load } = results;
  console.log(
    `Desktop: the collector in the main process, ${Math.round(requestsPerSecond)} requests/s of ${SPANS} spans, at a load of ${load.toFixed(1)}`,
  );
  printTable(
    ["", "", "goal", "without load"],
    GOALS.map(({ name, figure, unit, limit }) => [
      `${name}, ${unit}`,
      results[figure],
      limit,
      results.floor[figure] ?? "",
    ]),
  );
  console.log(
    `  under load: longest delay ${delayMaxMs.toFixed(0)} ms, median round trip ${roundTripP50Ms.toFixed(1)} ms, ` +
      `${loadCpuPct.toFixed(0)} % of a core, ${loadedRssMb.toFixed(0)} MB resident, ${lostSpans} spans lost`,
  );
}

/** @returns {string[]} */
export function missedOfDesktop(results) {
  return GOALS.filter(({ figure, limit }) => !(results[figure] <= limit)).map(
    ({ name, figure, unit, limit }) => `${name}: ${results[figure].toFixed(1)} ${unit}, goal ${limit}`,
  );
}
