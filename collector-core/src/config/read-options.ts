import { appendAll } from "../runtime/append-all.js";
import { suggestion } from "../api-schema/nearest.js";
import { errorCode } from "../runtime/describe-error.js";
import { nearestVariable } from "./nearest-name.js";
import { ENV_PREFIX, type Option } from "./option.js";
import type { Reading } from "./option-kinds.js";
import { MAX_CONFIG_BYTES, NOT_A_FILE, TOO_LARGE } from "./read-config-file.js";
import { maskUserInfo } from "./mask-credentials.js";
import { quoted } from "./quoted.js";
import { showRaw } from "./show-value.js";
import { readYamlFile, type YamlFile } from "./yaml-file.js";

/** Sources of option values. */
export interface ConfigInput {
  /** The environment. An empty variable counts as not set. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of the YAML file. Overrides `OBS_SERVER_CONFIG`. */
  readonly configPath?: string | undefined;
  /** Path of the YAML file if neither is given. This file need not exist. */
  readonly defaultConfigPath?: string | undefined;
  /** Reads the YAML file, or throws. Default: from disk, as UTF-8. */
  readonly readFile?: (path: string) => string;
}

/** The result of {@link readOptions}. Rules across keys are not checked yet. */
export interface ReadOptions {
  /** The valid values. Without defaults if the YAML file is broken, since the file may set those keys. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The source of each value. */
  readonly sources: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The key of the option that holds the path of the YAML file. */
const CONFIG_FILE_KEY = "config_file";

/** Reads every option of a table from its variable, then the YAML file, then its default (spec 2.6). */
export function readOptions(
  options: readonly Option[],
  defaults: ReadonlyMap<string, unknown>,
  { env, configPath, defaultConfigPath, readFile }: ConfigInput & Required<Pick<ConfigInput, "readFile">>,
): ReadOptions {
  const values = new Map<string, unknown>();
  const sources = new Map<string, string>();
  const problems: string[] = [];

  const pathVariable = options.find(({ key }) => key === CONFIG_FILE_KEY)?.env ?? "";
  const given = configPath ?? (env[pathVariable] || undefined);
  const path = given ?? defaultConfigPath;
  const pathSource = given === undefined ? "default" : configPath === undefined ? pathVariable : "--config";
  const file = path === undefined ? NO_FILE : openYamlFile(path, pathSource, options, readFile);
  appendAll(problems, file.problems);

  for (const option of options) {
    const { key, kind } = option;
    const fromEnv = key === CONFIG_FILE_KEY ? path : env[option.env] || undefined;
    const fromYaml = file.entries.get(key);
    if (fromEnv !== undefined) {
      take(
        option,
        kind.check(kind.parse(fromEnv)),
        fromEnv,
        key === CONFIG_FILE_KEY ? pathSource : option.env,
      );
    } else if (fromYaml !== undefined) {
      take(option, kind.check(fromYaml.value), fromYaml.raw, fromYaml.source);
    } else if (file.problems.length === 0) {
      // A broken file may set this key, so the default is used only with an intact file.
      values.set(key, defaults.get(key));
      sources.set(key, "default");
    }
  }
  return { values, sources, problems, warnings: [...unknownVariables(env, options), ...file.warnings] };

  function take(option: Option, reading: Reading<unknown>, raw: string, source: string): void {
    sources.set(option.key, source);
    if (reading.ok) values.set(option.key, reading.value);
    else {
      const details = [reading.detail, ...(reading.moreDetails ?? [])];
      for (const detail of details) problems.push(problemLine(option, raw, source, detail));
    }
  }
}

/** A problem on one line: key, value, source, limit (contract 5). */
function problemLine(option: Option, raw: string, source: string, detail: string): string {
  const shown = quoted(option, raw);
  // A detail may quote an item, which may be a credential.
  const more = detail === "" || option.secret ? "" : `; ${maskUserInfo(detail)}`;
  return `${option.key} = ${shown} (${source}): must be ${option.kind.rule}${more}`;
}

const NO_FILE: YamlFile = { entries: new Map(), problems: [], warnings: [] };

function openYamlFile(
  path: string,
  source: string,
  options: readonly Option[],
  readFile: (path: string) => string,
): YamlFile {
  try {
    return readYamlFile(path, readFile(path), options);
  } catch (error) {
    if (source === "default" && isAbsent(error)) return NO_FILE;
    return {
      ...NO_FILE,
      problems: [`${CONFIG_FILE_KEY} = ${showRaw(path)} (${source}): ${unreadableReason(error)}`],
    };
  }
}

/** True for the error of a file that does not exist. */
export function isAbsent(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

function unreadableReason(error: unknown): string {
  const code = errorCode(error);
  if (code === "ENOENT") return "must be a file that exists";
  if (code === "EACCES" || code === "EPERM") return "must be a file that this user may read";
  if (code === "EISDIR") return "must be a file, not a directory";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "must be a file in UTF-8";
  if (code === NOT_A_FILE) return "must be a regular file";
  if (code === TOO_LARGE) return `must have at most ${MAX_CONFIG_BYTES} bytes`;
  return `must be a file that can be read: ${showRaw(String(error))}`;
}

/** Warns of each unknown variable with the prefix of the collector. Its value may be a secret and is not shown. */
function unknownVariables(env: ConfigInput["env"], options: readonly Option[]): string[] {
  const known = new Set(options.map((option) => option.env));
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(ENV_PREFIX) && value && !known.has(name))
    .map(([name]) => `unknown variable ${name}${suggestion(nearestVariable(name, options))}`);
}
