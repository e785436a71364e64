import { InvalidArgumentError, type Command } from "commander";
import { loadConfig, type LoadedConfig } from "../../config/load-config.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { parseDuration } from "../durations.js";
import { forOneUser } from "../serve/configuration.js";
import type { StoreMigration } from "./migrate-store.js";
import { runStoreTask, type StoreTaskArguments } from "./run-store-task.js";

/** What is said of the index of texts. */
const TEXT_INDEX_LINES: Readonly<Record<StoreMigration["textIndex"], string>> = {
  kept: "",
  added: "ClickHouse builds the index of texts in the background: see system.mutations.\n",
  dropped: "The index of texts is gone.\n",
};

/** Options of every `obspan store` command. */
interface StoreFlags {
  readonly url?: string;
  readonly directory?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** `obspan store info | compact | verify | prune | backup | migrate`. */
export function configure(store: Command, context: CommandContext): void {
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
        "\nThe API key is OBS_API_KEY. Exit codes: 0; 1 failed, or damage found; 2 usage; 4 no collector at --url.",
      );
  const run = async (task: StoreTaskArguments, flags: StoreFlags): Promise<number> =>
    await runTask(task, flags, context);

  add("info", "Print what is kept since when, the size on disk and the limits.").action(
    context.action((flags: StoreFlags) => run({ name: "info" }, flags)),
  );
  add("compact", "Give unused space of the file back to the file system.").action(
    context.action((flags: StoreFlags) => run({ name: "compact" }, flags)),
  );
  add("verify", "Read the whole file and check it. Changes nothing.").action(
    context.action((flags: StoreFlags) => run({ name: "verify" }, flags)),
  );
  add("prune", "Remove the traces that had no span for some time.")
    .requiredOption("--older-than <duration>", "such as 7d, 12h or 30m; 0s removes all", durationArgument)
    .action(
      context.action((flags: StoreFlags & { readonly olderThan: number }) =>
        run({ name: "prune", olderThanSeconds: flags.olderThan }, flags),
      ),
    );
  add("backup <file>", "Copy the traces to a new file, which only its owner can read.").action(
    context.action((file: string, flags: StoreFlags) => run({ name: "backup", file }, flags)),
  );
  store
    .command("migrate")
    .description(
      "Make the tables in ClickHouse (trace_store.url), or bring them to this version and to trace_store.text_index.",
    )
    .option("--config <file>", "YAML file of the collector; overrides OBS_SERVER_CONFIG")
    .addHelpText(
      "after",
      "\nA collector does it too when it starts, but for the index of texts. Exit codes: 0; 1 failed; 2 usage.",
    )
    .action(
      context.action(async ({ config }: Pick<StoreFlags, "config">) => {
        // Most uses of the command never load the client.
        const { migrateStore } = await import("./migrate-store.js");
        const { from, to, place, textIndex } = await migrateStore(readConfig(config, context.env).config);
        const tables =
          from === undefined
            ? `Made the tables in ${place} (version ${to}).\n`
            : `The tables in ${place} have version ${to}${from === to ? " already" : `, up from ${from}`}.\n`;
        context.output.print(`${tables}${TEXT_INDEX_LINES[textIndex]}`);
        return EXIT.ok;
      }),
    );
}

function durationArgument(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new InvalidArgumentError("It must be a duration such as 7d, 12h or 30m.");
  return seconds;
}

/** @throws CommandFailure if the configuration is invalid. */
function readConfig(configPath: string | undefined, env: CommandContext["env"]): LoadedConfig {
  const result = loadConfig({ env, configPath, ...forOneUser(env) });
  if (result.type === "refused")
    throw new CommandFailure(`The configuration is invalid:\n  ${result.problems.join("\n  ")}`);
  return result.loaded;
}

/** Runs a task on the collector of the configuration, or on the file that it would open. */
async function runTask(
  task: StoreTaskArguments,
  flags: StoreFlags,
  { env, version, output, answers }: CommandContext,
): Promise<number> {
  const interrupted = new AbortController();
  // An incomplete copy is removed. Every other task may end at any time, also within a long step of SQLite.
  if (task.name === "backup")
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  let loaded: LoadedConfig | undefined;
  const config = (): LoadedConfig => (loaded ??= readConfig(flags.config, env));
  return await runStoreTask({
    task,
    place: { url: flags.url, directory: flags.directory, apiKey: env["OBS_API_KEY"] || undefined },
    config: () => config().config,
    isSet: (key) => config().sources[key] !== "default",
    version,
    isJson: flags.json === true,
    output,
    answers,
    signal: interrupted.signal,
  });
}
