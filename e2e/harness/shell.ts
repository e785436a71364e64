import { execFile } from "node:child_process";
import { inherited } from "./child-program.js";

/** The output and the exit code of a command. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits. The limit only tells a hang from a busy machine: by default a little less than a test may take. */
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
  const { input, env = {}, timeoutMs = 50_000, ...rest } = options;
  const environment = { ...inherited(), ...env };
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

/** Runs shell lines from the documentation; stops at the first failure. */
export function runInBash(lines: string): Promise<CommandResult> {
  return runProgram("bash", ["--norc", "-euo", "pipefail", "-c", lines]);
}
