import { InvalidArgumentError, type Command } from "commander";
import { parseDuration } from "../durations.js";

/** What an `obspan store` command does. */
export type StoreTaskArguments =
  | { readonly name: "info" | "compact" | "verify" }
  | { readonly name: "prune"; readonly olderThanSeconds: number }
  | { readonly name: "backup"; readonly file: string };

/** Options of every `obspan store` command. */
export interface StoreFlags {
  readonly url?: string;
  readonly directory?: string;
  readonly config?: string;
  readonly json?: boolean;
}

type RunTask = (task: StoreTaskArguments, flags: StoreFlags) => Promise<void>;

/** Adds `obspan store info | compact | verify | prune | backup`. */
export function addStoreCommands(program: Command, run: RunTask): void {
  const store = program
    .command("store")
    .description("Look after the traces on disk, whether the collector runs or not.");
  const add = (usage: string, description: string): Command =>
    store
      .command(usage)
      .description(description)
      .option("--url <url>", "address of a running collector; default: the one of the configuration")
      .option("--directory <directory>", "directory of the store of a collector that is not running")
      .option("--config <file>", "YAML file of the collector; overrides OBS_SERVER_CONFIG")
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        "\nThe API key is OBS_API_KEY. Exit codes: 0; 1 failed, or damage found; 2 usage.",
      );

  add("info", "Print what is kept since when, the size on disk and the limits.").action((flags: StoreFlags) =>
    run({ name: "info" }, flags),
  );
  add("compact", "Give unused space of the file back to the file system.").action((flags: StoreFlags) =>
    run({ name: "compact" }, flags),
  );
  add("verify", "Read the whole file and check it. Changes nothing.").action((flags: StoreFlags) =>
    run({ name: "verify" }, flags),
  );
  add("prune", "Remove the traces that had no span for some time.")
    .requiredOption("--older-than <duration>", "such as 7d, 12h or 30m; 0s removes all", durationArgument)
    .action((flags: StoreFlags & { readonly olderThan: number }) =>
      run({ name: "prune", olderThanSeconds: flags.olderThan }, flags),
    );
  add("backup <file>", "Copy the traces to a new file, which only its owner can read.").action(
    (file: string, flags: StoreFlags) => run({ name: "backup", file }, flags),
  );
}

function durationArgument(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new InvalidArgumentError("It must be a duration such as 7d, 12h or 30m.");
  return seconds;
}
