import { JUDGE_PROVIDERS } from "../api-schema/judge-providers.js";
import { crossKeyProblems } from "./cross-key-rules.js";
import { OPTION_LIST, type Config, type OptionKey } from "./options.js";
import { readConfigFile, readFirstConfig } from "./read-config-file.js";
import { readOptions, type ConfigInput } from "./read-options.js";

/** A valid configuration. */
export interface LoadedConfig {
  readonly config: Config;
  /** Where each value comes from: `OBS_SERVER_…`, `path:line`, `--config` or `default`. */
  readonly sources: Readonly<Record<OptionKey, string>>;
  /** The default of each option. */
  readonly defaults: Config;
  /**
   * Reads the configuration again, as the next start does.
   *
   * @param content - the text of the YAML file. Default: the file on disk.
   */
  readonly recheck: (content?: string) => ConfigResult;
  /** Unknown names, one line each. They do not prevent the start. */
  readonly warnings: readonly string[];
}

/** The result of {@link loadConfig}. */
export type ConfigResult =
  | { readonly type: "loaded"; readonly loaded: LoadedConfig }
  | {
      readonly type: "refused";
      /** Every reason not to start, one line each: key, value, source, limit. */
      readonly problems: readonly string[];
      readonly warnings: readonly string[];
      /** The values that are valid by themselves. */
      readonly config: Partial<Config>;
    };

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions extends ConfigInput {
  /** Defaults that override those of the table. Their source is still `default`. */
  readonly defaults?: Partial<Config>;
}

/**
 * Reads the configuration: environment over YAML file over defaults (spec 2.6). Invalid input never throws: all
 * problems are returned at once (spec 8, startup validation; contract 5). It opens no file but the YAML file.
 */
export function loadConfig(options: LoadConfigOptions): ConfigResult {
  const { defaults, readFile = readFirstConfig, ...input } = options;
  const byDefault = new Map<string, unknown>(OPTION_LIST.map((option) => [option.key, option.default]));
  for (const [key, value] of Object.entries(defaults ?? {})) byDefault.set(key, value);

  const read = readOptions(OPTION_LIST, byDefault, { ...input, readFile });
  // Each value has passed the check of its kind, from which its type is derived.
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
        loadConfig({
          ...options,
          readFile: content === undefined ? (options.readFile ?? readConfigFile) : () => content,
        }),
      warnings: read.warnings,
    },
  };
}

/** Sets an unset judge model to the default model of the provider. */
function withJudgeModel(config: Config, sources: Readonly<Record<OptionKey, string>>): Config {
  if (sources["evaluation.judge_model"] !== "default" || !("evaluation.judge_provider" in config))
    return config;
  const { defaultModel } = JUDGE_PROVIDERS[config["evaluation.judge_provider"]];
  return defaultModel === undefined ? config : { ...config, "evaluation.judge_model": defaultModel };
}
