/** Runs an app on a runtime until its end. */
import { spawn } from "node:child_process";

/** What the SDK logs if the second passes by which it delays `process.exit()`: on a busy machine only. */
const TOO_SOON = "the process ended too soon";

/**
 * Runs a program to its end. If the end is SIGTERM, the signal is sent when the app prints `ready`.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} env - in addition to that of this process.
 * @param {string} end
 * @returns {Promise<{ wrong?: string, isTooSoon: boolean }>} `wrong` is undefined if the app ended as it should, and nothing was
 * logged.
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
  return {
    isTooSoon: errors.includes(TOO_SOON),
    ...(!isExpected(end, code, signal, errors) && {
      wrong: `ended with ${signal ?? code}: ${errors.slice(-2000)}`,
    }),
  };
}

function isExpected(end, code, signal, errors) {
  if (end === "uncaught error")
    return code === 1 && errors.includes("The app fails.") && !errors.includes("[obspan]");
  // Some runtimes exit with the code that stands for the signal.
  const hasEnded = end === "SIGTERM" ? signal === "SIGTERM" || code === 143 : code === 0;
  return hasEnded && errors === "";
}
