import { readFileSync } from "node:fs";
import { JUDGE_PROVIDERS } from "../api-schema/judge-providers.js";
import { crossKeyProblems } from "./cross-key-rules.js";
import { OPTION_LIST, type Config, type OptionKey } from "./options.js";
import { readOptions, type ConfigInput } from "./read-options.js";

/** A configuration that keeps to every rule. */
export interface LoadedConfig {
  readonly config: Config;
  /** Where each value comes from: `OBS_SERVER_…`, `path:line`, `--config` or `default`. */
  readonly sources: Readonly<Record<OptionKey, string>>;
  /** What each value would be by default. */
  readonly defaults: Config;
  /**
   * Reads it all again, as the next start would.
   *
   * @param content - of the YAML file. Default: as it is on the disk now.
   */
  readonly recheck: (content?: string) => ConfigResult;
  /** Names that are not known, each in one line. They do not stop the start. */
  readonly warnings: readonly string[];
}

/** What came of reading the configuration. */
export type ConfigResult =
  | { readonly type: "loaded"; readonly loaded: LoadedConfig }
  | {
      readonly type: "refused";
      /** Every reason not to start, each in one line: key, value, source, limit. */
      readonly problems: readonly string[];
      readonly warnings: readonly string[];
      /** The values that are known, and keep to their own rule. */
      readonly config: Partial<Config>;
    };

/** {@link loadConfig}'s argument. */
export interface LoadConfigOptions extends ConfigInput {
  /** Defaults that differ from those of the table; their source still reads `default`. */
  readonly defaults?: Partial<Config>;
}

/**
 * Reads the configuration: environment over YAML file over defaults (spec 2.6). Never throws for what it reads, and
 * lists every problem at once (spec 8, startup validation; contract 5). Only the YAML file is touched.
 */
export function loadConfig(options: LoadConfigOptions): ConfigResult {
  const { defaults, readFile = readUtf8File, ...input } = options;
  const byDefault = new Map<string, unknown>(OPTION_LIST.map((option) => [option.key, option.default]));
  for (const [key, value] of Object.entries(defaults ?? {})) byDefault.set(key, value);

  const read = readOptions(OPTION_LIST, byDefault, { ...input, readFile });
  // Each value has passed the check of its kind, from which the type is made.
  const sources = Object.fromEntries(read.sources) as Record<OptionKey, string>;
  const config = withJudgeModel(Object.fromEntries(read.values) as Config, sources);
  const problems = [...read.problems, ...crossKeyProblems(config, sources)];
  if (problems.length > 0) return { type: "refused", problems, warnings: read.warnings, config };
  return {
    type: "loaded",
    loaded: {
      config,
      sources,
      defaults: Object.fromEntries(byDefault) as Config,
      recheck: (content) =>
        loadConfig(content === undefined ? options : { ...options, readFile: () => content }),
      warnings: read.warnings,
    },
  };
}

/** The default of the judge's model is its provider's. */
function withJudgeModel(config: Config, sources: Readonly<Record<OptionKey, string>>): Config {
  if (sources["evaluation.judge_model"] !== "default" || !("evaluation.judge_provider" in config))
    return config;
  const { defaultModel } = JUDGE_PROVIDERS[config["evaluation.judge_provider"]];
  return defaultModel === undefined ? config : { ...config, "evaluation.judge_model": defaultModel };
}

function readUtf8File(path: string): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
}
