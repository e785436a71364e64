/** Runs the steps of a build or a test run in parallel, each after its dependencies. */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * @typedef {object} Job
 * @property {string} name
 * @property {number} [seconds] about how long it takes on a quiet machine; default: 1
 * @property {readonly string[]} [after] names of the jobs that this one depends on; jobs that are not in the list count as done
 * @property {boolean} [isBackground] true to run beside the others at a low priority, so that it takes what they leave
 * @property {(output: Output) => Promise<boolean>} run resolves with false on failure
 */

/**
 * The output of a job.
 *
 * @typedef {object} Output
 * @property {(text: string) => void} write
 * @property {boolean} [isBackground] as in the job
 */

/**
 * Runs jobs, each after its dependencies. Of those that can start, the one goes first from which the longest way leads to the
 * end, so that no long job is left alone at the end. One background job runs beside them, and more where they leave a place.
 * After a failure only the jobs that depend on the failed one are skipped.
 *
 * @param {readonly Job[]} jobs
 * @param {object} options
 * @param {number} [options.concurrency] how many run at a time, without the one in the background; default: the number of cores
 * @param {boolean} [options.quiet] true to print no durations
 * @returns {Promise<Map<string, readonly string[]>>} the jobs that failed or could not run, each with the last lines of its output
 */
export async function runJobs(
  jobs,
  { concurrency = Math.max(2, availableParallelism()), quiet = false } = {},
) {
  const secondsLeft = secondsToTheEnd(jobs);
  const inTurn = ({ isBackground = false }) => Number(isBackground);
  const waiting = jobs.toSorted((a, b) => inTurn(a) - inTurn(b) || secondsLeft(b) - secondsLeft(a));
  const running = new Map();
  const inBackground = new Set();
  const unfinished = new Set(jobs.map(({ name }) => name));
  const failed = new Map();

  while (waiting.length + running.size > 0) {
    for (const job of waiting.splice(0)) {
      const after = job.after ?? [];
      if (after.some((name) => failed.has(name))) skip(job);
      else if (hasPlace(job) && !after.some((name) => unfinished.has(name))) start(job);
      else waiting.push(job);
    }
    if (running.size > 0) await Promise.race(running.values());
    else if (waiting.length > 0)
      throw new Error(`These jobs wait for each other: ${waiting.map(({ name }) => name)}`);
  }
  return failed;

  function hasPlace({ isBackground = false }) {
    return isBackground ? running.size <= concurrency : running.size - inBackground.size < concurrency;
  }

  function start(job) {
    if (job.isBackground) inBackground.add(job.name);
    running.set(
      job.name,
      runJob(job, quiet).then(({ succeeded, lastLines }) => end(job.name, succeeded, lastLines)),
    );
  }

  function skip({ name }) {
    console.log(`── ${name}: skipped, a job that it depends on failed`);
    end(name, false, []);
  }

  function end(name, succeeded, lastLines) {
    running.delete(name);
    inBackground.delete(name);
    unfinished.delete(name);
    if (!succeeded) failed.set(name, lastLines);
  }
}

/**
 * How long a job and the longest chain of jobs that wait for it take.
 *
 * @param {readonly Job[]} jobs
 * @returns {(job: Job) => number}
 */
export function secondsToTheEnd(jobs) {
  const known = new Map();
  return function secondsOf(job) {
    if (!known.has(job)) {
      known.set(job, 0);
      const waiting = jobs.filter(({ after = [] }) => after.includes(job.name)).map(secondsOf);
      known.set(job, (job.seconds ?? 1) + Math.max(0, ...waiting));
    }
    return known.get(job);
  };
}

/** How many of the last lines of a job's output are repeated if it fails. */
const LAST_LINES = 40;

/** Runs one job and prints its output, each line with the name of the job, because lines of several jobs mix. */
async function runJob({ name, run, isBackground }, quiet) {
  const startedAt = Date.now();
  const lastLines = [];
  function print(line) {
    console.log(`${name} │ ${line}`);
    lastLines.push(line);
    if (lastLines.length > LAST_LINES) lastLines.shift();
  }
  let rest = "";
  function write(text) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") print(line);
  }
  const succeeded = await run({ write, isBackground }).catch((error) => {
    write(`\n${error.stack}\n`);
    return false;
  });
  if (rest !== "") print(rest);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  if (!quiet || !succeeded) console.log(`── ${name}: ${succeeded ? "" : "failed, "}${seconds} s`);
  return { succeeded, lastLines };
}

/**
 * A `run` for the command of a dependency, started with this Node, without a shell or npx.
 *
 * @param {string} path below node_modules
 * @param {readonly string[]} args
 */
export function tool(path, args, options) {
  return (output) => runNode([join(root, "node_modules", path), ...args], output, options);
}

/**
 * The compiler and the lint of types are written in Go. They take a fifth less processor time if they collect garbage less
 * often, and at most 3 GB of memory.
 */
const LESS_GARBAGE_COLLECTION = { GOGC: "400" };

/**
 * The command for a process in the background. Its threads and children inherit the low priority, which a process that already
 * runs can be given only thread by thread. Windows has no such command.
 */
const NICE = process.platform === "win32" ? [] : ["nice", "-n", "10"];

/** Runs Node in the root of the project. @returns true if it exits with code 0. */
export function runNode(args, output, options = {}) {
  const [command, ...rest] = [...(output.isBackground ? NICE : []), process.execPath, ...args];
  return new Promise((resolve, reject) => {
    const env = {
      ...LESS_GARBAGE_COLLECTION,
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    };
    const child = spawn(command, rest, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env,
      ...options,
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => output.write(text));
    child.once("error", reject);
    child.once("exit", (code) => {
      const done = () => resolve(code === 0);
      child.once("close", done);
      // A child of a killed command may keep the output open.
      setTimeout(done, 2000).unref();
    });
  });
}
