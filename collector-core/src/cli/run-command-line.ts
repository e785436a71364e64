import { Command, CommanderError, Help } from "commander";
import { URL_SOURCES } from "./collector-url.js";
import type { CommandContext } from "./command-context.js";
import { CommandFailure, EXIT } from "./command-failure.js";
import { COMMANDS } from "./commands.js";
import { ReaderGone, type Output } from "./output/output.js";
import { wrapped } from "./output/paragraph.js";
import { withNegatedTerms } from "./query-argument.js";
import { RecentAnswers } from "./recent-answers.js";

const COMPLETION = "completion";
const HELP = `
The collector is the one at --url, else ${URL_SOURCES}.
Its key is OBS_API_KEY. Every command that asks it has --json.
Exit codes: 0; 1 failed; 2 usage; 3 nothing found; 4 no collector answers.`;

/** What {@link runCommandLine} needs of the process. */
export type CommandLineOptions = Omit<CommandContext, "action" | "answers">;

/** Runs one command line. @returns the exit code. */
export async function runCommandLine(args: readonly string[], options: CommandLineOptions): Promise<number> {
  const { output } = options;
  let exitCode: number = EXIT.ok;
  const answers = new RecentAnswers();
  const context: CommandContext = {
    ...options,
    answers,
    action:
      (task) =>
      async (...values) => {
        exitCode = await ended(() => task(...values), { output, answers });
      },
  };
  try {
    const program = new Command("obspan")
      .description("Telemetry of LLM agents: run a collector, and ask it from a terminal.")
      .version(options.version, "-V, --version", "Print the version.")
      .commandsGroup("More:")
      .helpCommand("help [command]", "Show the help of a command.")
      .helpOption("-h, --help", "Show the help.")
      .addHelpText("after", HELP)
      .configureHelp({
        // The options of a command come before those that many have.
        groupItems(all, visible, groupOf) {
          const groups = new Help().groupItems(all, visible, groupOf);
          const isOwn = (heading: string): number => Number(heading === "Options:");
          return new Map([...groups].toSorted(([a], [b]) => isOwn(b) - isOwn(a)));
        },
      })
      .showHelpAfterError("`obspan --help` lists the commands.")
      .exitOverride()
      .configureOutput({
        writeOut: (text) => output.print(fitting(text, output.columns)),
        writeErr: (text) => output.note(text),
        outputError: (text, write) => write(text.replace(/^error: /, "obspan: ")),
        getOutHelpWidth: () => output.columns ?? 100,
        getErrHelpWidth: () => output.columns ?? 100,
      });
    let given = args;
    const called = args[0] === "help" ? args[1] : args[0];
    for (const { name, group, description, load } of COMMANDS) {
      const command = program
        .command(name)
        .description(description)
        .helpGroup(group)
        .showHelpAfterError(`\`obspan ${name} --help\` shows what it takes.`);
      // A completion knows every command with its options.
      if (name !== called && called !== COMPLETION) continue;
      (await load()).configure(command, context);
      if (name === called) given = withNegatedTerms(args, command);
    }
    await program.parseAsync(given, { from: "user" });
  } catch (error) {
    if (error instanceof ReaderGone) return EXIT.ok;
    // commander has already printed the help or the usage error.
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exitCode === EXIT.ok && output.hasFailed ? EXIT.failed : exitCode;
}

async function ended(
  task: () => number | Promise<number>,
  { output, answers }: { readonly output: Output; readonly answers: RecentAnswers },
): Promise<number> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ReaderGone) return EXIT.ok;
    const failure = await failureOf(error, answers);
    if (failure === undefined) throw error;
    output.note(`obspan: ${failure.message}\n`);
    return failure.exitCode;
  }
}

/** What is told of an error; undefined if it is a defect of this program. */
async function failureOf(error: unknown, answers: RecentAnswers): Promise<CommandFailure | undefined> {
  if (error instanceof CommandFailure) return error;
  // A file that cannot be read, or a disk that fails meanwhile.
  if (error instanceof Error && "syscall" in error)
    return new CommandFailure(error.message, { cause: error });
  return await answers.blame(error);
}

/** A help whose long lines are broken between words. */
function fitting(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split("\n")
    .map((line) => {
      if (line.length <= columns) return line;
      const indent = /^ */.exec(line)?.[0] ?? "";
      const lines = wrapped(line.trim().split(" "), " ", columns - indent.length);
      return lines.map((each) => indent + each).join("\n");
    })
    .join("\n");
}
