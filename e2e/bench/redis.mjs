/** A Redis of the benchmark, with the settings of docs/guide/several-collectors.md. */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, started, stop } from "./servers.mjs";

const run = promisify(execFile);
const SETTINGS = [
  ...["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"],
  ...["--maxmemory", "2gb", "--maxmemory-policy", "noeviction"],
];

/**
 * @typedef {object} MeasuredRedis
 * @property {string} url
 * @property {() => Promise<number>} cpuSeconds - used so far.
 * @property {() => Promise<number>} fileBytes - of the file that it appends to.
 * @property {() => Promise<void>} settled - resolves when every batch is acknowledged.
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<MeasuredRedis>} */
export async function startRedis() {
  const directory = mkdtempSync(join(tmpdir(), "obspan-bench-redis-"));
  const port = String(await freePort());
  const child = started(
    spawn("redis-server", ["--port", port, "--dir", directory, ...SETTINGS], { stdio: "ignore" }),
  );
  const failed = new Promise((_, reject) => {
    child.once("error", () =>
      reject(
        new Error("The part cluster needs redis-server on the PATH (Debian: apt-get install redis-server)."),
      ),
    );
  });
  const command = async (...args) => (await run("redis-cli", ["-p", port, ...args])).stdout.trim();
  const figure = async (section, name) =>
    Number(new RegExp(`^${name}:(.+)$`, "m").exec(await command("INFO", section))?.[1]);
  const answers = async () => {
    while ((await command("PING").catch(() => "")) !== "PONG");
  };
  await Promise.race([failed, answers()]);
  return {
    url: `redis://127.0.0.1:${port}`,
    cpuSeconds: async () => (await figure("cpu", "used_cpu_sys")) + (await figure("cpu", "used_cpu_user")),
    fileBytes: () => figure("persistence", "aof_current_size"),
    async settled() {
      while ((await command("XLEN", "obspan:q")) !== "0")
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async stop() {
      await stop(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
