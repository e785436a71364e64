/** The time from the start of the process to the first 200 of /ready, and the part of Node itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { expectRunning, freePort, spawnCollector } from "./servers.mjs";
import { median, printTable } from "./statistics.mjs";

/**
 * @param {object} options
 * @param {number} options.rounds
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 * @returns {Promise<object>}
 */
export async function measureColdStart({ rounds, checkout }) {
  const collectorMs = [];
  const nodeMs = [];
  for (let round = 0; round < rounds; round++) {
    nodeMs.push(await timeNode());
    collectorMs.push(await timeCollector(checkout));
  }
  return { rounds, readyMs: median(collectorMs), nodeMs: median(nodeMs), samplesMs: collectorMs };
}

/** @param {Awaited<ReturnType<typeof measureColdStart>>} result */
export function printColdStart(result) {
  console.log(`\nCold start, median of ${result.rounds}`);
  printTable(
    ["", "ms"],
    [
      ["process start to /ready", result.readyMs],
      ["of which Node itself", result.nodeMs],
    ],
  );
}

async function timeNode() {
  const startMs = performance.now();
  await once(spawn(process.execPath, ["-e", "0"]), "exit");
  return performance.now() - startMs;
}

async function timeCollector(checkout) {
  const port = await freePort();
  const startMs = performance.now();
  const { child } = await spawnCollector({ checkout, port });
  while (!(await isReady(port))) {
    expectRunning(child);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  const elapsedMs = performance.now() - startMs;
  child.kill("SIGTERM");
  await once(child, "exit");
  return elapsedMs;
}

/** Sends one request on its own connection, because a pool would delay refused ones. */
function isReady(port) {
  return new Promise((resolve) => {
    get({ port, host: "127.0.0.1", path: "/ready", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false));
  });
}
