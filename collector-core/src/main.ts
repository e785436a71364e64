/** The command `obspan`. Only this file reads `process.env`. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { addStoreCommands, type StoreFlags, type StoreTaskArguments } from "./cli/store/store-commands.js";
import { defaultConfigFile } from "./config/default-config-file.js";
import { defaultTraceDirectory } from "./config/default-trace-directory.js";
import {
  loadConfig,
  type ConfigResult,
  type LoadConfigOptions,
  type LoadedConfig,
} from "./config/load-config.js";
import { localDefaults } from "./config/local-defaults.js";
import { OPTION_LIST, type Config } from "./config/options.js";
import { optionsHelp } from "./config/options-reference.js";
import { readPriceFile } from "./config/price-file.js";
import { shownValue } from "./config/quoted.js";
import { formatValue } from "./config/show-value.js";
import { logFileProblem, notWritable } from "./logging/log-file.js";
import { createLogger, type Logger } from "./logging/logger.js";
import { printError, printOut } from "./logging/terminal.js";

const BAD_USAGE = 2;
const CANNOT_PRINT = 1;
const CANNOT_START = "obspan cannot start: its configuration has";

interface ServeFlags {
  readonly config?: string;
  readonly local?: boolean;
}

/**
 * Runs one command line.
 *
 * @param args - the arguments after the program name.
 * @returns the exit code: 0, 1 for an invalid configuration or a failed start, 2 for bad usage. After a collector has
 * run, this function exits the process instead of returning.
 */
export async function main(args: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command("obspan")
    .description("The Obspan collector.")
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: printError });
  program
    .command("serve")
    .description("Run the collector until SIGTERM, SIGINT or SIGHUP.")
    .option("--config <file>", "YAML file; overrides OBS_SERVER_CONFIG")
    .option(
      "--local",
      "for one user: bind 127.0.0.1 and keep traces on disk for 14 days, unless the configuration says otherwise",
    )
    .addHelpText("after", () => `\n${optionsHelp()}`)
    .action(async (flags: ServeFlags) => {
      exitCode = await runServe(flags);
    });
  program
    .command("check-config")
    .description("List every problem of the configuration without starting the collector.")
    .option("--config <file>", "YAML file; overrides OBS_SERVER_CONFIG")
    .action((flags: { readonly config?: string }) => {
      exitCode = checkConfig(flags.config);
    });
  addStoreCommands(program, async (task, flags) => {
    exitCode = await runStore(task, flags);
  });
  program
    .command("version")
    .description("Print the versions of the collector and of Node.js.")
    .action(() => {
      print(`obspan ${packageVersion()} (Node.js ${process.version})\n`);
    });

  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    // commander has already printed the help or the usage error.
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? 0 : BAD_USAGE;
  }
  return exitCode === 0 && printFailed ? CANNOT_PRINT : exitCode;
}

let printFailed = false;

/** Prints to stdout. Reports an error on stderr, except EPIPE, which only means that the reader is gone. */
function print(text: string): void {
  const failure = printOut(text);
  if (failure === undefined || ("code" in failure && failure.code === "EPIPE")) return;
  if (!printFailed) printError(`obspan: cannot write to stdout: ${failure.message}\n`);
  printFailed = true;
}

async function runServe(flags: ServeFlags): Promise<number> {
  const result = load(flags.config, flags.local ? forOneUser() : {});
  if (result.type === "refused") return refuse(CANNOT_START, result);

  const { loaded } = result;
  let logger: Logger;
  try {
    logger = createLogger({
      level: loaded.config["logging.level"],
      structured: loaded.config["logging.structured"],
      logFile: loaded.config["logging.log_file"],
      colour: isatty(2) && !process.env["NO_COLOR"],
    });
  } catch (error) {
    const problem = logFileLine(loaded.config["logging.log_file"], notWritable(error));
    return refuse(CANNOT_START, { problems: [problem], warnings: loaded.warnings });
  }
  for (const warning of loaded.warnings) logger.child("config").warning(warning);

  // Imported lazily, so that the other commands do not load the collector.
  const { serve } = await import("./serve.js");
  const exitCode = await serve({ loaded, logger, version: packageVersion(), uiDirectory: uiDirectory() });
  logger.close();
  // An open connection or timer must not outlive the grace period.
  process.exit(exitCode);
}

/** Runs an `obspan store` command on the collector of the configuration, or on the file that it would open. */
async function runStore(task: StoreTaskArguments, flags: StoreFlags): Promise<number> {
  const { runStoreTask } = await import("./cli/store/run-store-task.js");
  const { CommandFailure } = await import("./cli/command-failure.js");
  const interrupted = new AbortController();
  // An incomplete copy is removed. Every other task may end at any time, also within a long step of SQLite.
  if (task.name === "backup")
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  let loaded: LoadedConfig | undefined;
  const read = (): LoadedConfig => {
    const result = loadConfig({
      env: process.env,
      configPath: flags.config,
      ...forOneUser(),
    });
    if (result.type === "refused")
      throw new CommandFailure(`The configuration is invalid:\n  ${result.problems.join("\n  ")}`);
    return result.loaded;
  };
  const config = (): LoadedConfig => (loaded ??= read());
  return await runStoreTask({
    task,
    place: { url: flags.url, directory: flags.directory, apiKey: process.env["OBS_API_KEY"] || undefined },
    config: () => config().config,
    isSet: (key) => config().sources[key] !== "default",
    version: packageVersion(),
    isJson: flags.json === true,
    print,
    printError,
    progress: { isTerminal: isatty(2), write: printError, nowMs: () => performance.now() },
    signal: interrupted.signal,
  });
}

/** What `--local` changes: the places of this user, and the defaults of a collector for one. */
function forOneUser(): Pick<LoadConfigOptions, "defaults" | "defaultConfigPath"> {
  const surroundings = { platform: process.platform, env: process.env, homeDirectory: homedir() };
  return {
    defaults: localDefaults(defaultTraceDirectory(surroundings)),
    defaultConfigPath: defaultConfigFile(surroundings),
  };
}

/** Directory of the web UI next to the compiled code; undefined if only the collector was built. */
function uiDirectory(): string | undefined {
  const directory = fileURLToPath(new URL("../ui/", import.meta.url));
  return existsSync(join(directory, "index.html")) ? directory : undefined;
}

function checkConfig(configPath: string | undefined): number {
  const result = load(configPath, {});
  if (result.type === "refused") return refuse("The configuration has", result);
  printWarnings(result.loaded.warnings);
  print(`The configuration is valid.\n${configuredValues(result.loaded)}`);
  return 0;
}

/** Loads the configuration of this process, and checks that the log file can be written and the price file be read. */
function load(
  configPath: string | undefined,
  options: Pick<LoadConfigOptions, "defaults" | "defaultConfigPath">,
): ConfigResult {
  const result = loadConfig({ env: process.env, configPath, ...options });
  const config = result.type === "loaded" ? result.loaded.config : result.config;
  const problems = fileProblems(config);
  if (problems.length === 0) return result;

  const refused =
    result.type === "refused" ? result : { problems: [], warnings: result.loaded.warnings, config };
  return { ...refused, type: "refused", problems: [...refused.problems, ...problems] };
}

/** The problems of the files that the configuration names. */
function fileProblems(config: Partial<Config>): string[] {
  const logFile = config["logging.log_file"];
  const limit = logFile === undefined ? undefined : logFileProblem(logFile);
  const priceFile = config["pricing.file"];
  const prices = priceFile === undefined ? undefined : readPriceFile(priceFile);
  return [
    ...(limit === undefined ? [] : [logFileLine(logFile, limit)]),
    ...(prices?.type === "refused" ? prices.problems : []),
  ];
}

function logFileLine(path: string | undefined, limit: string): string {
  return `logging.log_file = ${path} (OBS_SERVER_LOGGING_LOG_FILE): ${limit}`;
}

function refuse(
  header: string,
  { problems, warnings }: Pick<ConfigResult & { type: "refused" }, "problems" | "warnings">,
): number {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = problems.map((problem) => `  ${problem}\n`);
  printError(`${header} ${count}:\n${lines.join("")}`);
  printWarnings(warnings);
  return 1;
}

function printWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) printError(`warning: ${warning}\n`);
}

function configuredValues({ config, sources }: LoadedConfig): string {
  const set = OPTION_LIST.filter(({ key }) => sources[key] !== "default");
  if (set.length === 0) return "Every value is its default.\n";
  return set
    .map((option) => {
      const { key } = option;
      return `  ${key} = ${formatValue(shownValue(option, config[key]))} (${sources[key]})\n`;
    })
    .join("");
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const version = (manifest as { version?: unknown }).version;
  return typeof version === "string" ? version : "unknown";
}
