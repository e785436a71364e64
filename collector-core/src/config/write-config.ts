import { readFile } from "node:fs/promises";
import type { ConfigChange } from "../api-schema/config.js";
import { ApiError } from "../api-schema/errors.js";
import { describeConfig } from "./describe-config.js";
import { editYaml, type YamlEdit } from "./edit-yaml.js";
import type { ConfigResult, LoadedConfig } from "./load-config.js";
import { nearest, suggestion } from "./nearest-name.js";
import type { Option } from "./option.js";
import { OPTION_LIST } from "./options.js";
import { isMasked, maskUserInfo } from "./mask-credentials.js";
import { quoted } from "./quoted.js";
import { replaceFile } from "./replace-file.js";
import { HIDDEN, showRaw } from "./show-value.js";

/** Writes values into the YAML file. Null removes a key. */
export type WriteConfig = (values: Readonly<Record<string, unknown>>) => Promise<ConfigChange>;

/**
 * Creates the handler of `PUT /v1/config` (contract 3). It validates each value and then the edited file before it
 * writes. Writes run one at a time, and each replaces the file atomically.
 */
export function createConfigWriter(loaded: LoadedConfig): WriteConfig {
  let last: Promise<unknown> = Promise.resolve();

  async function write(values: Readonly<Record<string, unknown>>): Promise<ConfigChange> {
    const path = loaded.config["config_file"];
    if (path === undefined) throw noFile();
    const edits = readEdits(values);
    const content = await read(path);
    const edited = edit(content, edits, path);
    const next = loaded.recheck(edited);
    if (next.type === "refused") throw invalid(next.problems);
    const unsafe = redirectedCredentials(edits, loaded.recheck(content), next.loaded);
    if (unsafe.length > 0) throw invalid(unsafe);
    if (edited !== content) await replace(path, edited);

    const description = describeConfig(loaded);
    const nextSources: Readonly<Record<string, string>> = next.loaded.sources;
    return {
      file: path,
      written: edits.map(({ option }) => option.key),
      restart_required: Object.entries(description.config)
        .filter(([, entry]) => entry.after_restart !== undefined)
        .map(([key]) => key),
      overridden: Object.fromEntries(
        edits
          .filter(({ option }) => nextSources[option.key] === option.env)
          .map(({ option }) => [option.key, option.env]),
      ),
      config: description.config,
    };
  }

  return (values) => {
    const result = last.then(() => write(values));
    last = result.catch(() => undefined);
    return result;
  };
}

interface ConfigEdit extends YamlEdit {
  readonly option: Option;
}

/** Converts values to edits. Throws invalid_config with the problems of all values. */
function readEdits(values: Readonly<Record<string, unknown>>): ConfigEdit[] {
  const edits: ConfigEdit[] = [];
  const problems: string[] = [];
  const count = Object.keys(values).length;
  if (count > OPTION_LIST.length)
    throw invalid([`config has ${count} keys; there are ${OPTION_LIST.length} options`]);
  for (const [key, value] of Object.entries(values)) {
    const option = OPTION_LIST.find((candidate) => candidate.key === key);
    if (option === undefined) {
      const known = OPTION_LIST.map((candidate) => candidate.key);
      problems.push(`${showRaw(key)}: unknown key${suggestion(nearest(key, known))}`);
    } else if (option.envOnly) {
      problems.push(`${key}: can only be set by ${option.env}`);
    } else if (option.isLocal) {
      problems.push(
        `${key}: can only be set by ${option.env} or in the file itself, because it names a place on the disk`,
      );
    } else if (value === null) {
      edits.push({ option, value: undefined });
    } else if (option.secret && value === HIDDEN) {
      // Keeps the stored value.
      continue;
    } else if (option.secret && containsHidden(value)) {
      problems.push(
        `${key}: ${HIDDEN} replaces a hidden value; send every part in full, or only "${HIDDEN}" to keep the stored value`,
      );
    } else {
      const reading = option.kind.check(value);
      edits.push({ option, value });
      const written = JSON.stringify(value);
      if (isMasked(written)) problems.push(`${key}: ${HIDDEN} replaces a hidden value; send it in full`);
      if (reading.ok || isMasked(written)) continue;
      const shown = quoted(option, written);
      const details = option.secret ? [] : [reading.detail, ...(reading.moreDetails ?? [])].filter(Boolean);
      problems.push(
        `${key} = ${shown}: must be ${option.kind.rule}${details.map((each) => `; ${maskUserInfo(each)}`).join("")}`,
      );
    }
  }
  if (problems.length > 0) throw invalid(problems);
  return edits;
}

/**
 * The problems of new addresses that would get stored credentials. Whoever may write an option must not learn a secret by
 * sending it to a server of its own.
 */
function redirectedCredentials(
  edits: readonly ConfigEdit[],
  current: ConfigResult,
  { config, sources }: LoadedConfig,
): string[] {
  const before: Readonly<Record<string, unknown>> = current.type === "loaded" ? current.loaded.config : {};
  const after: Readonly<Record<string, unknown>> = config;
  const sourceOf: Readonly<Record<string, string>> = sources;
  return edits.flatMap(({ option: { key, credentials } }) => {
    const secret = OPTION_LIST.find((candidate) => candidate.key === credentials);
    if (secret === undefined || !isSet(after[secret.key]) || originOf(after[key]) === undefined) return [];
    if (originOf(before[key]) === originOf(after[key])) return [];
    if (sourceOf[secret.key] === secret.env)
      return [
        `${key}: ${secret.key} is set by ${secret.env} and would be sent to the new address; change both where the collector is started`,
      ];
    if (edits.some(({ option }) => option === secret)) return [];
    return [
      `${key}: ${secret.key} would be sent to the new address; send its new value too, or null to remove it`,
    ];
  });
}

function isSet(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

/** The origin of an address; undefined if there is none. */
function originOf(address: unknown): string | undefined {
  return typeof address === "string" ? new URL(address).origin : undefined;
}

/** True if a part of a value is the placeholder of a secret. Writing it overwrites the secret. */
function containsHidden(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === HIDDEN;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(containsHidden);
}

function edit(content: string, edits: readonly YamlEdit[], path: string): string {
  try {
    return editYaml(content, edits);
  } catch {
    // The parser's message quotes the file, which may contain a secret.
    throw invalid([`${path}: the file is not valid YAML; run obspan check-config for details`]);
  }
}

/** Lists every problem in the message, and by key in the details. */
function invalid(problems: readonly string[]): ApiError {
  const details = new Map<string, string>();
  for (const problem of problems) {
    const key = /^[\w.]+(?=(?: =|:) )/.exec(problem)?.[0] ?? "file";
    const before = details.get(key);
    details.set(key, before === undefined ? problem : `${before}\n${problem}`);
  }
  return new ApiError(
    "invalid_config",
    `Nothing was written. ${problems.join(". ")}.`,
    Object.fromEntries(details),
  );
}

function noFile(): ApiError {
  return new ApiError(
    "config_not_writable",
    "The collector was started without a configuration file: set OBS_SERVER_CONFIG to the path of a file, which may be empty, and restart it.",
  );
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw notWritable(path, "read", error);
  }
}

async function replace(path: string, content: string): Promise<void> {
  try {
    await replaceFile(path, content);
  } catch (error) {
    throw notWritable(path, "written", error);
  }
}

function notWritable(path: string, what: string, error: unknown): ApiError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return new ApiError("config_not_writable", `${path} cannot be ${what}: ${code}. Nothing was changed.`, {
    system: code,
  });
}
