/** Runs an app on a runtime until its end. */
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";

/** The paths of programs, by their package. */
const paths = new Map();

/**
 * The program of a runtime. npx installs it from its npm package, and caches it.
 *
 * @param {import("./cells.mjs").Runtime} runtime
 * @returns {Promise<string>}
 */
export async function programOf(runtime) {
  const { package: name } = runtime;
  if (!paths.has(name)) paths.set(name, findProgram(runtime));
  return await paths.get(name);
}

async function findProgram({ package: name, printPath }) {
  const [command = "", version] = name.split("@");
  if (command === "node" && process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const { stdout } = await promisify(execFile)("npx", ["--yes", "--package", name, command, ...printPath]);
  return stdout.trim();
}

/**
 * Runs a program to its end. If the end is SIGTERM, the signal is sent when the app prints `ready`.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} env - in addition to that of this process.
 * @param {string} end
 * @returns {Promise<string | undefined>} what is wrong; undefined if the app ended as it should, without a word of its own on stderr.
 */
export async function runApp(program, args, env, end) {
  const child = spawn(program, args, {
    env: { ...process.env, ...env, END: end },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  child.stdout.setEncoding("utf8").on("data", (text) => {
    if (text.includes("ready")) child.kill("SIGTERM");
  });
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (...ended) => resolve(ended));
  });
  clearTimeout(timer);
  return isExpected(end, code, signal, errors)
    ? undefined
    : `ended with ${signal ?? code}: ${errors.slice(-2000)}`;
}

function isExpected(end, code, signal, errors) {
  if (end === "uncaught error")
    return code === 1 && errors.includes("The app fails.") && !errors.includes("[obspan]");
  // Some runtimes exit with the code that stands for the signal.
  const hasEnded = end === "SIGTERM" ? signal === "SIGTERM" || code === 143 : code === 0;
  return hasEnded && errors === "";
}
