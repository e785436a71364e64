import { execFile } from "node:child_process";

/** What a command printed, and how it ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, which must come within 15 s or what is said. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly input?: string;
    readonly env?: Record<string, string>;
    readonly timeoutMs?: number;
  } = {},
): Promise<CommandResult> {
  const { input, env = {}, timeoutMs = 15_000, ...rest } = options;
  const environment = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env };
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { ...rest, env: environment, timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === "number") resolve({ code, stdout, stderr });
        else reject(new Error(`${program} did not run to its end.`, { cause: error }));
      },
    );
    child.stdin?.end(input);
  });
}

/** Runs lines as a reader of the documentation would, except that the first failure ends it. */
export function runInBash(lines: string): Promise<CommandResult> {
  return runProgram("bash", ["--norc", "-euo", "pipefail", "-c", lines]);
}
