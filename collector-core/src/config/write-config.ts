import { readFile } from "node:fs/promises";
import type { ConfigChange } from "../api-schema/config.js";
import { ApiError } from "../api-schema/errors.js";
import { describeConfig } from "./describe-config.js";
import { editYaml, type YamlEdit } from "./edit-yaml.js";
import type { LoadedConfig } from "./load-config.js";
import { nearest, suggestion } from "./nearest-name.js";
import type { Option } from "./option.js";
import { OPTION_LIST } from "./options.js";
import { isMasked, maskUserInfo } from "./mask-credentials.js";
import { quoted } from "./quoted.js";
import { replaceFile } from "./replace-file.js";
import { HIDDEN, showRaw } from "./show-value.js";

/** Writes values into the YAML file; null takes one out. */
export type WriteConfig = (values: Readonly<Record<string, unknown>>) => Promise<ConfigChange>;

/**
 * Makes what `PUT /v1/config` does (contract 3): every value is checked, and then the whole file with them in it, before
 * anything is written. One writer at a time; the file is replaced as a whole or not at all.
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
    const mine = last.then(() => write(values));
    last = mine.catch(() => undefined);
    return mine;
  };
}

interface ConfigEdit extends YamlEdit {
  readonly option: Option;
}

/** The values as edits; throws invalid_config with every problem of a single value. */
function readEdits(values: Readonly<Record<string, unknown>>): ConfigEdit[] {
  const edits: ConfigEdit[] = [];
  const problems: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    const option = OPTION_LIST.find((candidate) => candidate.key === key);
    if (option === undefined) {
      const known = OPTION_LIST.map((candidate) => candidate.key);
      problems.push(`${showRaw(key)}: there is no such key${suggestion(nearest(key, known))}`);
    } else if (option.envOnly) {
      problems.push(`${key}: can only be set by ${option.env}`);
    } else if (value === null) {
      edits.push({ option, value: undefined });
    } else if (option.secret && value !== HIDDEN && holdsHidden(value)) {
      problems.push(
        `${key}: ${HIDDEN} stands for a value that is not shown; write every part in full, or only "${HIDDEN}" to keep all of it`,
      );
    } else if (!(option.secret && value === HIDDEN)) {
      const reading = option.kind.check(value);
      edits.push({ option, value });
      const written = JSON.stringify(value);
      if (isMasked(written))
        problems.push(`${key}: ${HIDDEN} stands for what is not shown; write it in full`);
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

/** True where a part of a value is what is shown in place of a secret: written, it would replace the secret. */
function holdsHidden(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === HIDDEN;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsHidden);
}

function edit(content: string, edits: readonly YamlEdit[], path: string): string {
  try {
    return editYaml(content, edits);
  } catch {
    // What the parser says quotes the file, which may hold a secret.
    throw invalid([`${path}: the file is not YAML that can be edited; see obspan check-config`]);
  }
}

/** Every problem in the message, and by its key in the details. */
function invalid(problems: readonly string[]): ApiError {
  const details: Record<string, string> = {};
  for (const problem of problems) {
    const key = /^[\w.]+(?=(?: =|:) )/.exec(problem)?.[0] ?? "file";
    details[key] = details[key] === undefined ? problem : `${details[key]}\n${problem}`;
  }
  return new ApiError("invalid_config", `Nothing was written. ${problems.join(". ")}.`, details);
}

function noFile(): ApiError {
  return new ApiError(
    "config_not_writable",
    "The collector was started without a configuration file: set OBS_SERVER_CONFIG to the path of one, which may be empty, and start it again.",
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
