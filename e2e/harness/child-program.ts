import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** How a program ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that runs beside the test. */
export interface ChildProgram {
  readonly pid: number;
  /** The lines that it has written to stderr so far. */
  readonly stderr: readonly string[];
  /** What it has written to stdout so far. */
  readonly stdout: () => string;
  /** Resolves when the program has ended and all of its output has been read. */
  readonly exit: Promise<Exit>;
  readonly hasExited: () => boolean;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts a program that cannot outlive the test process, however that one ends.
 *
 * @param env - the whole environment beside PATH and HOME: nothing of the developer's own settings gets in.
 */
export function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProgram {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(command, args, {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
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
 * A shell that reads a pipe which this process holds open. When this process is gone, for whatever reason, the pipe
 * ends and the shell kills the program.
 *
 * @returns to be called when the program has ended.
 */
function killWithThisProcess(pid: number): () => void {
  const guard = spawn("sh", ["-c", 'read -r _; kill -9 "$0"', String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  guard.on("error", () => undefined);
  return () => void guard.kill("SIGKILL");
}
