import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { optionsHelp } from "../../config/options-reference.js";
import { notWritable } from "../../logging/log-file.js";
import { createLogger, type Logger } from "../../logging/logger.js";
import type { CommandContext } from "../command-context.js";
import { forOneUser, logFileLine, readConfiguration, refuse } from "./configuration.js";

const CANNOT_START = "obspan cannot start: its configuration has";

interface ServeFlags {
  readonly config?: string;
  readonly local?: boolean;
}

/** `obspan serve`. */
export function configure(command: Command, context: CommandContext): void {
  command
    .option("--config <file>", "YAML file; overrides OBS_SERVER_CONFIG")
    .option(
      "--local",
      "for one user: bind 127.0.0.1 and keep traces on disk for 14 days, unless the configuration says otherwise",
    )
    .addHelpText("after", () => `\n${optionsHelp()}`)
    .action(context.action(async (flags: ServeFlags) => await runServe(flags, context)));
}

/** Runs a collector, and exits the process after it. @returns the exit code if the collector cannot start. */
async function runServe(
  flags: ServeFlags,
  { env, packageDirectory, version, output }: CommandContext,
): Promise<number> {
  const result = readConfiguration(env, flags.config, flags.local ? forOneUser(env) : {});
  if (result.type === "refused") return refuse(output, CANNOT_START, result);

  const { loaded } = result;
  let logger: Logger;
  try {
    logger = createLogger({
      level: loaded.config["logging.level"],
      structured: loaded.config["logging.structured"],
      logFile: loaded.config["logging.log_file"],
      colour: output.isErrorTerminal && !env["NO_COLOR"],
    });
  } catch (error) {
    const problem = logFileLine(loaded.config["logging.log_file"], notWritable(error));
    return refuse(output, CANNOT_START, { problems: [problem], warnings: loaded.warnings });
  }
  for (const warning of loaded.warnings) logger.child("config").warning(warning);

  // Imported lazily: `obspan serve --help` and a refused configuration do not need the collector.
  const { serve } = await import("../../serve.js");
  const exitCode = await serve({ loaded, logger, version, uiDirectory: uiDirectory(packageDirectory) });
  logger.close();
  // An open connection or timer must not outlive the grace period.
  process.exit(exitCode);
}

/** Directory of the web UI next to the compiled code; undefined if only the collector was built. */
function uiDirectory(packageDirectory: URL): string | undefined {
  const directory = fileURLToPath(new URL("ui/", packageDirectory));
  return existsSync(`${directory}index.html`) ? directory : undefined;
}
