import type { Command } from "commander";
import type { Output } from "./output/output.js";
import type { RecentAnswers } from "./recent-answers.js";

/** What a command gets of its process. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory of the package, with a slash at its end: `ui/` is in it. */
  readonly packageDirectory: URL;
  readonly version: string;
  readonly output: Output;
  /** What collectors have answered. */
  readonly answers: RecentAnswers;
  /**
   * Makes the action of a command from a task that returns the exit code. A `CommandFailure` is printed. A task whose reader is
   * gone ends with 0.
   */
  readonly action: <Arguments extends unknown[]>(
    task: (...args: Arguments) => number | Promise<number>,
  ) => (...args: Arguments) => Promise<void>;
}

/** A command in a module of its own, which is loaded when the command is called. */
export interface CommandModule {
  /** Adds arguments, options and the action. */
  configure(command: Command, context: CommandContext): void;
}

/** A row of the list of commands. */
export interface CommandEntry {
  readonly name: string;
  /** Where `obspan --help` lists it. */
  readonly group: string;
  readonly description: string;
  readonly load: () => Promise<CommandModule>;
}
