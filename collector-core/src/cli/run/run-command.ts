import { spawn as spawnProcess, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Command } from "commander";
import type { TraceList, TraceSummary } from "../../api-schema/trace.js";
import { errorCode, errorMessage } from "../../runtime/describe-error.js";
import type { CollectorClient } from "../collector-client.js";
import { collectorOf } from "../collector-options.js";
import { URL_OPTION } from "../collector-url.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { safeJson, safeLine } from "../output/safe-text.js";
import { traceAddress } from "../trace-address.js";
import { childEnvironment } from "./child-environment.js";
import { findRegister } from "./find-register.js";
import { readGitState } from "./git-state.js";

interface RunFlags {
  readonly url?: string;
  readonly service?: string;
  readonly json?: boolean;
}

/** As a shell does: the command cannot be executed, or is not there. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const SIGNALED = 128;
/** Ctrl-C reaches the child too, as it is in the same process group. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
const PASSED_ON: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP", ...FROM_TERMINAL];
/** The last spans are at the collector when the child has ended, and in its store a moment later. */
const LOOK_AFTER_MS = [0, 100, 200, 200];
const MAX_LINKS = 5;

/** `obspan run`. */
export function configure(command: Command, context: CommandContext): void {
  command
    .usage("[options] -- <command> [arguments...]")
    .argument("<command...>", "what to run; it is not interpreted by a shell")
    .option(
      "--service <name>",
      "name of the app; default: OBS_SERVICE, else that of the repository or directory",
    )
    .option(...URL_OPTION)
    .option("--json", "print the traces as a line of JSON, on stderr")
    .addHelpText(
      "after",
      "\nSets OBS_* and OTEL_* variables that are not set, and for Node adds @obspan/sdk/register to NODE_OPTIONS.\n" +
        "Exit codes: that of the command; 126 not executable; 127 not found; 128 + n ended by signal n.",
    )
    .action(context.action((words: string[], flags: RunFlags) => runCommand(words, flags, context)));
}

async function runCommand(
  words: readonly string[],
  flags: RunFlags,
  context: CommandContext,
): Promise<number> {
  const [program = "", ...args] = words;
  const { env, packageDirectory } = context;
  const client = collectorOf(flags, context);
  const directory = process.cwd();
  const { platform } = process;
  const git = readGitState(directory);
  const runId = randomUUID();
  const startedAt = new Date().toISOString();
  const environment = childEnvironment({
    env,
    platform,
    url: client.url,
    isUrlGiven: flags.url !== undefined,
    service: flags.service,
    defaultService: git.repositoryName ?? (basename(directory) || "app"),
    runId,
    git,
    registerUrl: findRegister(directory, packageDirectory),
  });
  // On Windows, npm is npm.cmd, which only a library can start without a shell.
  const spawn = platform === "win32" ? (await import("cross-spawn")).default.spawn : spawnProcess;
  let child: ChildProcess;
  try {
    child = spawn(program, args, { stdio: "inherit", env: environment, windowsHide: false });
  } catch (error) {
    // Node throws some errors of the system, such as a list of arguments that is too long, and reports others later.
    throw startFailure(program, error);
  }
  const exitCode = await exitOf(child, program);
  await report(client, runId, startedAt, flags, context);
  return exitCode;
}

/** Waits for the end of the child, and passes on the signals that only this process gets. */
async function exitOf(child: ChildProcess, program: string): Promise<number> {
  const isTerminal = isatty(0);
  const handlers = PASSED_ON.map((signal) => {
    const pass = (): void => {
      if (!isTerminal || !FROM_TERMINAL.includes(signal)) child.kill(signal);
    };
    process.on(signal, pass);
    return () => void process.off(signal, pass);
  });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", (error) => reject(startFailure(program, error)));
      child.once("exit", (code, signal) =>
        resolve(signal === null ? (code ?? EXIT.failed) : SIGNALED + constants.signals[signal]),
      );
    });
  } finally {
    for (const remove of handlers) remove();
  }
}

function startFailure(program: string, error: unknown): CommandFailure {
  const code = errorCode(error);
  const name = JSON.stringify(program);
  if (code === "ENOENT")
    return new CommandFailure(`${name} was not found. A command of a shell needs the shell: -- sh -c '…'`, {
      exitCode: NOT_FOUND,
    });
  return new CommandFailure(`${name} cannot be started: ${code ?? errorMessage(error)}.`, {
    exitCode: NOT_EXECUTABLE,
  });
}

/** Says where the traces of the command are. They do not decide the exit code. */
async function report(
  client: CollectorClient,
  runId: string,
  startedAt: string,
  { json }: RunFlags,
  { output, answers }: CommandContext,
): Promise<void> {
  const { traces, problem } = await found(client, runId, startedAt, answers);
  if (json === true) {
    const list = traces.map(({ trace_id, url, status }) => ({ trace_id, url, status }));
    output.note(`${safeJson({ run_id: runId, traces: list, ...(problem !== undefined && { problem }) })}\n`);
    return;
  }
  if (problem !== undefined) output.note(`obspan: ${problem}\n`);
  for (const { url, name, status } of traces.slice(0, MAX_LINKS))
    output.note(`obspan: ${url} ${name} ${status}\n`);
  if (traces.length > MAX_LINKS) output.note(`obspan: and more: obspan traces ${runId}\n`);
}

/** A trace of the command. */
interface FoundTrace extends Pick<TraceSummary, "trace_id" | "status"> {
  readonly url: string;
  readonly name: string;
}

/** The traces of the command, or why there are none: also an answer that is none of a collector. */
async function found(
  client: CollectorClient,
  runId: string,
  startedAt: string,
  answers: CommandContext["answers"],
): Promise<{ readonly traces: readonly FoundTrace[]; readonly problem?: string }> {
  try {
    const traces = (await tracesOf(client, runId, startedAt)).map(({ trace_id, status, root_name }) => {
      const url = traceAddress(client.url, trace_id);
      return { trace_id, status, url, name: safeLine(root_name) };
    });
    return traces.length > 0
      ? { traces }
      : { traces, problem: "No trace has arrived. `obspan doctor` says why." };
  } catch (error) {
    const failure = error instanceof CommandFailure ? error : await answers.blame(error);
    if (failure === undefined) throw error;
    return { traces: [], problem: failure.message };
  }
}

async function tracesOf(
  client: CollectorClient,
  runId: string,
  startedAt: string,
): Promise<readonly TraceSummary[]> {
  let found: readonly TraceSummary[] = [];
  for (const afterMs of LOOK_AFTER_MS) {
    await wait(afterMs);
    const { traces } = await client.get<TraceList>("/v1/traces", "traces", {
      query: runId,
      since: startedAt,
      limit: MAX_LINKS + 1,
    });
    // Several traces come one after the other.
    if (traces.length > 0 && traces.length === found.length) return traces;
    found = traces;
  }
  return found;
}
