import type { ConfigChange, ConfigCheck, ConfigDescription } from "../api-schema/config.js";
import { ApiError } from "../api-schema/errors.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { errorCode } from "../runtime/describe-error.js";
import { nextTurn } from "../runtime/loop-turn.js";
import { readEdits, redirectedCredentials, type ConfigEdit } from "./config-edits.js";
import { describeConfig } from "./describe-config.js";
import { editYaml, type YamlEdit } from "./edit-yaml.js";
import type { LoadedConfig } from "./load-config.js";
import { createNextConfig } from "./next-config.js";
import { readConfigFile } from "./read-config-file.js";
import { isAbsent } from "./read-options.js";
import { replaceFile, writePrivateFile } from "./replace-file.js";
import { shownYaml } from "./shown-yaml.js";
import { noConfigFile, severalCollectors } from "./why-not-writable.js";

/** New values by key. Null removes a key from the file. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** Reads and writes the configuration of a running collector. */
export interface ConfigWriter {
  describe(): ConfigDescription;
  /**
   * Says what {@link write} would do.
   *
   * @param signal - ends the check if it has not begun.
   * @throws ApiError config_not_writable; the reason of the signal.
   */
  check(values: ConfigValues, signal?: AbortSignal): Promise<ConfigCheck>;
  /** Writes values into the YAML file. @throws ApiError invalid_config, config_not_writable, several_collectors. */
  write(values: ConfigValues): Promise<ConfigChange>;
}

/** A change of the file that was not written yet. */
interface PlannedChange {
  readonly path: string;
  /** The text of the file; undefined if it does not exist. */
  readonly content: string | undefined;
  readonly edited: string;
  readonly edits: readonly ConfigEdit[];
  /** One line each. */
  readonly problems: readonly string[];
  /** Written keys that a variable overrides, with its name. */
  readonly overridden: Readonly<Record<string, string>>;
}

/**
 * Creates what answers `/v1/config` (contract 3). It validates each value and then the edited file before it writes. Writes and
 * checks run one at a time, with a turn of the event loop for each reading of the file, which may be long. A write replaces the
 * file atomically.
 */
export function createConfigWriter(loaded: LoadedConfig): ConfigWriter {
  const written = new Set<string>();
  const oneAtATime = createConcurrencyLimit(1);
  const nextConfig = createNextConfig(loaded);
  const describe = (): ConfigDescription => describeConfig(loaded, written, nextConfig());

  async function write(values: ConfigValues): Promise<ConfigChange> {
    const refusal = severalCollectors(loaded.config);
    if (refusal !== undefined) throw refusal;
    const { path, content, edited, edits, problems, overridden } = await plan(values);
    if (problems.length > 0) throw invalid(problems);
    if (content === undefined) {
      if (edited !== "") await save(path, () => writePrivateFile(path, edited));
    } else if (edited !== content) await save(path, () => replaceFile(path, edited));
    for (const { option } of edits) written.add(option.key);

    await nextTurn();
    const { config } = describe();
    return {
      file: path,
      written: edits.map(({ option }) => option.key),
      restart_required: Object.entries(config)
        .filter(([, entry]) => entry.after_restart !== undefined)
        .map(([key]) => key),
      overridden,
      config,
    };
  }

  async function plan(values: ConfigValues): Promise<PlannedChange> {
    const path = loaded.config["config_file"];
    if (path === undefined) throw noConfigFile();
    const { edits, problems } = readEdits(values);
    const content = read(path, loaded.sources["config_file"] === "default");
    const before = content ?? "";
    await nextTurn();
    const edited = edit(before, edits);
    const change = { path, content, edits, overridden: {} };
    if (edited === undefined) return { ...change, edited: before, problems: [...problems, notYaml(path)] };
    if (problems.length > 0) return { ...change, edited, problems };
    await nextTurn();
    const next = loaded.recheck(edited);
    if (next.type === "refused") return { ...change, edited, problems: next.problems };
    await nextTurn();
    const earlier = loaded.recheck(before);
    const sources: Readonly<Record<string, string>> = next.loaded.sources;
    return {
      ...change,
      edited,
      problems: redirectedCredentials(edits, earlier, next.loaded),
      overridden: Object.fromEntries(
        edits
          .filter(({ option }) => sources[option.key] === option.env)
          .map(({ option }) => [option.key, option.env]),
      ),
    };
  }

  async function check(values: ConfigValues): Promise<ConfigCheck> {
    const { content = "", edited, problems, overridden } = await plan(values);
    await nextTurn();
    const before = shownYaml(content);
    await nextTurn();
    return { problems: Object.fromEntries(byKey(problems)), overridden, before, after: shownYaml(edited) };
  }

  return {
    describe,
    check: (values, signal) => oneAtATime(() => check(values), signal),
    write: (values) => oneAtATime(() => write(values)),
  };
}

/** The edited text; undefined if the file is not valid YAML. */
function edit(content: string, edits: readonly YamlEdit[]): string | undefined {
  try {
    return editYaml(content, edits);
  } catch {
    return undefined;
  }
}

/** Without the parser's message: it quotes the file, which may contain a secret. */
function notYaml(path: string): string {
  return `${path}: the file is not valid YAML; run obspan check-config for details`;
}

/** Lists every problem in the message, and by key in the details. */
function invalid(problems: readonly string[]): ApiError {
  return new ApiError(
    "invalid_config",
    `Nothing was written. ${problems.join(". ")}.`,
    Object.fromEntries(byKey(problems)),
  );
}

function byKey(problems: readonly string[]): Map<string, string> {
  const details = new Map<string, string>();
  for (const problem of problems) {
    const key = /^[\w.]+(?=(?: =|:) )/.exec(problem)?.[0] ?? "file";
    const before = details.get(key);
    details.set(key, before === undefined ? problem : `${before}\n${problem}`);
  }
  return details;
}

/** The text of the file; undefined if it does not exist and need not. */
function read(path: string, mayBeAbsent: boolean): string | undefined {
  try {
    return readConfigFile(path);
  } catch (error) {
    if (mayBeAbsent && isAbsent(error)) return undefined;
    throw notWritable(path, "read", error);
  }
}

async function save(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw notWritable(path, "written", error);
  }
}

function notWritable(path: string, what: string, error: unknown): ApiError {
  const code = errorCode(error) ?? "unknown";
  return new ApiError("config_not_writable", `${path} cannot be ${what}: ${code}. Nothing was changed.`, {
    system: code,
  });
}
