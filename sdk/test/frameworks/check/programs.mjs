/** Starts the programs of a project, and stops them. */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

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
  const exit = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  exit.catch(() => undefined);
  return { output: () => output, exit, signal: (signal) => void child.kill(signal) };
}

/**
 * Waits for a text that a program prints.
 *
 * @param {Program} program
 * @param {RegExp} pattern
 * @param {number} withinMs
 * @returns {Promise<RegExpExecArray>}
 */
export async function untilPrints(program, pattern, withinMs = 60_000) {
  const deadline = Date.now() + withinMs;
  let hasExited = false;
  void program.exit.then(() => (hasExited = true));
  for (;;) {
    const found = pattern.exec(program.output());
    if (found !== null) return found;
    if (hasExited || Date.now() > deadline)
      throw new Error(`The program ${hasExited ? "ended" : "runs"} without ${pattern}:\n${program.output()}`);
    await sleep(20);
  }
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
