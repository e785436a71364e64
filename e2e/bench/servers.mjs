/** Starts, queries and stops the measured servers, each in its own process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectDirectory = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @typedef {object} MeasuredServer
 * @property {number} port
 * @property {import("node:child_process").ChildProcess} process
 * @property {() => Promise<number>} cpuSeconds - used so far.
 * @property {() => Promise<void>} settled - resolves when all that was accepted has been processed.
 * @property {() => Promise<void>} stop
 */

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/** @returns {Promise<number>} a free port. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Starts the built collector with its default settings; only its port and its log level are set, and what is asked for. It keeps
 * traces in memory unless the settings have a `TRACE_STORE_PATH`: never in the directory of the user.
 *
 * @param {object} [options]
 * @param {string} [options.checkout] - the project's directory. Default: this one.
 * @param {string} [options.node] - the executable. Default: this one.
 * @param {readonly string[]} [options.nodeArguments] - for Node itself.
 * @param {number} [options.port]
 * @param {Record<string, string>} [options.settings] - by the variable without `OBS_SERVER_`.
 */
export async function spawnCollector({
  checkout = projectDirectory,
  node = process.execPath,
  nodeArguments = [],
  port,
  settings = {},
} = {}) {
  const chosen = port ?? (await freePort());
  const chosenSettings = Object.entries(settings).map(([name, value]) => [`OBS_SERVER_${name}`, value]);
  const child = spawn(
    node,
    [...nodeArguments, join(checkout, "collector-core/bin/obspan.js"), "serve", "--local"],
    {
      env: {
        ...process.env,
        OBS_SERVER_PORT: String(chosen),
        OBS_SERVER_LOGGING_LEVEL: "WARNING",
        OBS_SERVER_TRACE_STORE_PATH: "none",
        ...Object.fromEntries(chosenSettings),
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    },
  );
  return { child: started(child), port: chosen };
}

/**
 * @param {Parameters<typeof spawnCollector>[0]} [options]
 * @returns {Promise<MeasuredServer>}
 */
export async function startCollector(options) {
  const { child, port } = await spawnCollector(options);
  await untilAnswers(`http://127.0.0.1:${port}/ready`, child);
  return {
    port,
    process: child,
    cpuSeconds: async () => (await scrape(port))("process_cpu_seconds_total"),
    async settled() {
      while ((await scrape(port))("obs_queue_size") > 0);
    },
    stop: () => stop(child),
  };
}

/**
 * @param {"reader" | "library"} [decoder] - what decodes OTLP. Default: the collector's own reader.
 * @returns {Promise<MeasuredServer>}
 */
export async function startCeiling(decoder = "reader") {
  const port = await freePort();
  const child = started(
    spawn(
      process.execPath,
      [fileURLToPath(new URL("./ceiling-server.mjs", import.meta.url)), String(port), decoder],
      { stdio: ["ignore", "ignore", "inherit"] },
    ),
  );
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswers(url, child);
  return {
    port,
    process: child,
    async cpuSeconds() {
      const { user, system } = await (await fetch(url)).json();
      return (user + system) / 1e6;
    },
    settled: async () => {},
    stop: () => stop(child),
  };
}

/**
 * Reads the collector's metrics.
 *
 * @param {number} port
 * @returns {Promise<(name: string) => number>} the value of a family that has one series.
 */
export async function scrape(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return (name) => Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);
}

/**
 * Polls until the response is 200.
 *
 * @param {string} url
 * @param {import("node:child_process").ChildProcess} child - which answers.
 */
async function untilAnswers(url, child) {
  for (;;) {
    expectRunning(child);
    try {
      const answer = await fetch(url);
      await answer.arrayBuffer();
      if (answer.status === 200) return;
    } catch {
      // The server does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** @throws if a process has ended that was to answer. */
export function expectRunning({ spawnfile, exitCode, signalCode }) {
  if (exitCode !== null || signalCode !== null)
    throw new Error(`${spawnfile} ended with ${signalCode ?? `code ${exitCode}`} before it answered.`);
}

/** Stops what a part has left behind that has failed: it would take time from the next one. */
export async function stopServers() {
  await Promise.all(Array.from(running, stop));
}

/** @param {import("node:child_process").ChildProcess} child - which {@link stopServers} stops. */
export function started(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** @param {import("node:child_process").ChildProcess} child */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
