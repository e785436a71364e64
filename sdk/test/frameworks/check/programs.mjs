/** Starts the programs of a project, and stops them. */
import { spawn } from "node:child_process";

/**
 * @typedef {object} Program
 * @property {() => string} output - stdout and stderr so far.
 * @property {Promise<number | null>} exit - the exit code, or null after a signal.
 * @property {(signal: NodeJS.Signals) => void} signal - sends a signal to the program alone.
 */

/** A process group of its own lets a program be stopped together with the processes that it starts. */
const HAS_GROUPS = process.platform !== "win32";

/** @type {Set<import("node:child_process").ChildProcess>} */
const started = new Set();
for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT"])) {
  process.once(signal, () => {
    killAll();
    process.exit(1);
  });
}
process.once("exit", killAll);

/**
 * Starts a program in the folder of the project. `node` is this Node; any other command is one of the project's dependencies.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} env - besides the environment of the check.
 * @returns {Program}
 */
export function startProgram(command, args, env) {
  const isNode = command === "node";
  const child = spawn(isNode ? process.execPath : `node_modules/.bin/${command}`, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: HAS_GROUPS,
    // The commands of dependencies are scripts there.
    shell: !HAS_GROUPS && !isNode,
  });
  started.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => void (output += text));
  const exit = new Promise((resolve) => {
    child.once("exit", resolve).once("error", (error) => {
      output += `${error}\n`;
      resolve(1);
    });
  });
  return { output: () => output, exit, signal: (signal) => void child.kill(signal) };
}

/** Kills what still runs, also the processes that a program left behind when it ended. */
function killAll() {
  for (const child of started) killGroup(child);
}

/** @param {import("node:child_process").ChildProcess} child */
function killGroup({ pid }) {
  try {
    if (pid !== undefined) process.kill(HAS_GROUPS ? -pid : pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
