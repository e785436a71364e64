import { homedir } from "node:os";
import { defaultConfigFile } from "../../config/default-config-file.js";
import { defaultTraceDirectory } from "../../config/default-trace-directory.js";
import { loadConfig, type ConfigResult, type LoadConfigOptions } from "../../config/load-config.js";
import { localDefaults } from "../../config/local-defaults.js";
import type { Config } from "../../config/options.js";
import { readPriceFile } from "../../config/price-file.js";
import { logFileProblem } from "../../logging/log-file.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../command-failure.js";
import type { Output } from "../output/output.js";

type Environment = CommandContext["env"];

/** What `--local` changes: the places of this user, and the defaults of a collector for one. */
export function forOneUser(env: Environment): Pick<LoadConfigOptions, "defaults" | "defaultConfigPath"> {
  const surroundings = { platform: process.platform, env, homeDirectory: homedir() };
  return {
    defaults: localDefaults(defaultTraceDirectory(surroundings)),
    defaultConfigPath: defaultConfigFile(surroundings),
  };
}

/** Loads the configuration of a collector, and checks that the log file can be written and the price file be read. */
export function readConfiguration(
  env: Environment,
  configPath: string | undefined,
  options: Pick<LoadConfigOptions, "defaults" | "defaultConfigPath"> = {},
): ConfigResult {
  const result = loadConfig({ env, configPath, ...options });
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

/** A problem of the log file. */
export function logFileLine(path: string | undefined, limit: string): string {
  return `logging.log_file = ${path} (OBS_SERVER_LOGGING_LOG_FILE): ${limit}`;
}

/** Prints the problems of a configuration. @returns the exit code. */
export function refuse(
  output: Output,
  header: string,
  { problems, warnings }: Pick<ConfigResult & { type: "refused" }, "problems" | "warnings">,
): number {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = problems.map((problem) => `  ${problem}\n`);
  output.note(`${header} ${count}:\n${lines.join("")}`);
  printWarnings(output, warnings);
  return EXIT.failed;
}

export function printWarnings(output: Output, warnings: readonly string[]): void {
  for (const warning of warnings) output.note(`warning: ${warning}\n`);
}
