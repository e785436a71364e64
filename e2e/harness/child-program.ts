import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The exit of a program. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that runs during a test. */
export interface ChildProgram {
  readonly pid: number;
  /** The lines written to stderr so far. */
  readonly stderr: readonly string[];
  /** The output on stdout so far. */
  readonly stdout: () => string;
  /** Resolves when the program has exited and all output has been read. */
  readonly exit: Promise<Exit>;
  readonly hasExited: () => boolean;
  signal(signal: NodeJS.Signals): void;
}

/** The data directory is the one that the suite has to itself (scripts/test-data-home.mjs). */
const INHERITED = ["PATH", "HOME", "XDG_DATA_HOME", "LOCALAPPDATA", "XDG_CONFIG_HOME", "APPDATA"];

/** What every program of a test gets of this process's environment. */
export function inherited(): Record<string, string | undefined> {
  return Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]));
}

/**
 * Starts a program that is killed when the test process ends for any reason.
 *
 * @param env - the environment besides {@link INHERITED}: the developer's settings are not inherited.
 */
export function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProgram {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(command, args, {
    env: { ...inherited(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stderr: string[] = [];
  let stdout = "";
  let exited = false;
  createInterface({ input: child.stderr }).on("line", (line) => void stderr.push(line));
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));

  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started.`);
  const releaseGuard = killWithThisProcess(pid);
  child.once("exit", () => {
    exited = true;
    releaseGuard();
  });
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return {
    pid,
    stderr,
    stdout: () => stdout,
    exit,
    hasExited: () => exited,
    signal: (signal) => void child.kill(signal),
  };
}

/**
 * A shell that reads a pipe which this process holds open. When this process ends, the pipe closes and the shell kills the
 * program.
 *
 * @returns a function to call when the program has exited.
 */
function killWithThisProcess(pid: number): () => void {
  const guard = spawn("sh", ["-c", 'read -r _; kill -9 "$0"', String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  guard.on("error", () => undefined);
  return () => void guard.kill("SIGKILL");
}
