/** The ClickHouse of the benchmark: chDB, its engine as a library, which `npm run bench` installs. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectDirectory, started, stop } from "./servers.mjs";

const ENGINES = join(projectDirectory, "collector-core/test/engines");
/** Of `/proc/<pid>/stat`. */
const TICKS_PER_SECOND = 100;
/** Share of a core that it takes less than when it has nothing to do. */
const QUIET_SHARE = 0.1;

/** Why the rows with ClickHouse are left out; undefined if they are not. */
export function missingClickHouse() {
  if (process.platform !== "linux") return "its processor time is read from /proc";
  return existsSync(join(ENGINES, "node_modules/@chdb"))
    ? undefined
    : "chDB is not installed, or not to be had for this machine: npm run bench installs it (550 MB)";
}

/**
 * @typedef {object} MeasuredClickHouse
 * @property {string} url
 * @property {() => Promise<number>} cpuSeconds - used so far, merges included.
 * @property {() => Promise<void>} quiet - resolves when no merge is under way.
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<MeasuredClickHouse>} */
export async function startClickHouse() {
  const directory = mkdtempSync(join(tmpdir(), "obspan-bench-clickhouse-"));
  const child = started(
    spawn(process.execPath, [join(ENGINES, "clickhouse-server.mjs"), directory], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const port = await new Promise((listening, fail) => {
    child.stdout.once("data", (line) => listening(line.toString().trim()));
    child.once("exit", (code) => fail(new Error(`The engine of ClickHouse ended with ${code}.`)));
  });
  const cpuSeconds = async () => {
    // The name of the program may have spaces; the times are the 14th and 15th fields.
    const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ").at(-1).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    cpuSeconds,
    async quiet() {
      for (let share = 1; share > QUIET_SHARE;) {
        const before = await cpuSeconds();
        await new Promise((resolve) => setTimeout(resolve, 1000));
        share = (await cpuSeconds()) - before;
      }
    },
    async stop() {
      await stop(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
