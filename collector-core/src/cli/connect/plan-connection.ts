import { dirname } from "node:path";
import { CommandFailure } from "../command-failure.js";
import { JSONC } from "../settings/jsonc-format.js";
import {
  backupPath,
  digestOf,
  readSettingsFile,
  textIn,
  type SettingsFile,
} from "../settings/settings-file.js";
import {
  isTable,
  pathText,
  SettingsProblem,
  valueAt,
  type Setting,
  type SettingPath,
  type SettingValue,
  type SettingsFormat,
} from "../settings/settings-format.js";
import { TOML } from "../settings/toml-format.js";
import type { AgentFile } from "./agents.js";
import type { Connection } from "./connections.js";

/** What is to become of one file. */
export interface FilePlan {
  readonly file: SettingsFile;
  readonly kind: Connection["kind"];
  /** The text now; undefined if there is no file. */
  readonly before: string | undefined;
  /** The text that it gets; undefined removes the file. */
  readonly after: string | undefined;
  /** What is written, or was. */
  readonly settings: readonly Setting[];
  readonly tables: readonly SettingPath[];
  /** The bytes that the file had before it was connected for the first time. */
  readonly original: Buffer | undefined;
}

/** Plans the settings of an agent in a file. @throws CommandFailure */
export async function planSettings(
  { path, format, settings: wanted }: AgentFile,
  roots: readonly string[],
  connectionOf: (target: string) => Connection | undefined,
): Promise<FilePlan> {
  const file = await readSettingsFile(path, roots);
  const before = textIn(file);
  const rules = formatOf(format);
  return await inFile(file, async () => {
    const known = connectionOf(file.target);
    const restored = known === undefined ? undefined : await withoutConnection(file, known, rules);
    const base = restored === undefined ? before : (restored.text ?? "");
    const values = rules.parse(base);
    const settings = wanted.filter(({ path: place, value }) => {
      const current = valueAt(values, place);
      if (current === undefined) return true;
      if (isSame(current, value)) return false;
      throw new CommandFailure(
        `${path} has another value at ${pathText(place)}, which obspan has not written. Remove it to connect.`,
      );
    });
    const after = settings.reduce((text, setting) => rules.add(text, setting), base);
    return {
      file,
      kind: "settings",
      before: file.content === undefined ? undefined : before,
      after: settings.length === 0 && file.content === undefined ? undefined : after,
      settings,
      tables: newTables(values, settings),
      original: restored === undefined ? file.content?.bytes : restored.original,
    };
  });
}

/** Plans the file of a skill. @throws CommandFailure */
export async function planSkill(
  path: string,
  text: string,
  roots: readonly string[],
  connectionOf: (target: string) => Connection | undefined,
): Promise<FilePlan> {
  const file = await readSettingsFile(path, roots);
  const before = file.content === undefined ? undefined : textIn(file);
  const isOurs =
    file.content !== undefined && connectionOf(file.target)?.after === digestOf(file.content.bytes);
  if (before !== undefined && before !== text && !isOurs)
    throw new CommandFailure(`${path} is another skill, or was changed. Move it away to install this one.`);
  return { file, kind: "skill", before, after: text, settings: [], tables: [], original: undefined };
}

/** Plans to take back what was written to a file. @throws CommandFailure */
export async function planUndo(connection: Connection, roots: readonly string[]): Promise<FilePlan> {
  const file = await readSettingsFile(connection.file, roots);
  const { kind, settings, tables } = connection;
  const before = file.content === undefined ? undefined : textIn(file);
  const plan = { file, kind, before, settings, tables, original: undefined };
  if (file.content === undefined) return { ...plan, after: undefined };
  if (kind === "skill") {
    const isOurs = digestOf(file.content.bytes) === connection.after;
    return { ...plan, after: isOurs ? undefined : before };
  }
  const rules = formatOf(connection.file.endsWith(".toml") ? "toml" : "jsonc");
  return await inFile(file, async () => {
    const { text } = await withoutConnection(file, connection, rules);
    return { ...plan, after: text };
  });
}

/**
 * The text of a file without what was written to it: the bytes of before, if nobody has changed it since, otherwise without
 * the values that are still ours.
 */
async function withoutConnection(
  file: SettingsFile,
  { before, after, settings, tables }: Connection,
  rules: SettingsFormat,
): Promise<{ readonly text: string | undefined; readonly original: Buffer | undefined }> {
  if (file.content === undefined) return { text: undefined, original: undefined };
  const backup = await backupOf(file, before);
  if (digestOf(file.content.bytes) === after && (before === null || backup !== undefined))
    return {
      text: backup && textIn({ ...file, content: { ...file.content, bytes: backup } }),
      original: backup,
    };

  let text = textIn(file);
  for (const { path, value } of settings.toReversed()) {
    const current = valueAt(rules.parse(text), path);
    if (isSame(current, value)) text = rules.remove(text, path);
  }
  for (const table of tables.toReversed()) {
    const current = valueAt(rules.parse(text), table);
    if (isTable(current) && Object.keys(current).length === 0) text = rules.remove(text, table);
  }
  const isLeftOver = before === null && /^[\s{}]*$/.test(text);
  return { text: isLeftOver ? undefined : text, original: Buffer.from(text) };
}

/** The copy beside a file, if it is the one that was made. */
async function backupOf({ target }: SettingsFile, digest: string | null): Promise<Buffer | undefined> {
  if (digest === null) return undefined;
  const { content } = await readSettingsFile(backupPath(target), [dirname(target)]).catch(() => ({
    content: undefined,
  }));
  return content !== undefined && digestOf(content.bytes) === digest ? content.bytes : undefined;
}

/** True if the values are equal: the prototypes of what parsers return differ. */
function isSame(current: unknown, value: SettingValue): boolean {
  return current !== undefined && JSON.stringify(current) === JSON.stringify(value);
}

/** The tables on the way to the settings that are not there, the outermost first. */
function newTables(values: unknown, settings: readonly Setting[]): SettingPath[] {
  const tables = new Map<string, SettingPath>();
  for (const { path } of settings)
    for (let length = 1; length < path.length; length++) {
      const table = path.slice(0, length);
      if (valueAt(values, table) === undefined) tables.set(pathText(table), table);
    }
  return [...tables.values()];
}

function formatOf(format: AgentFile["format"]): SettingsFormat {
  return format === "toml" ? TOML : JSONC;
}

async function inFile<Result>({ path }: SettingsFile, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(`${path}: ${reason}. Nothing was changed.`, { cause: error });
  }
}

/** The parsers are recursive: very deep nesting exceeds the stack, and in TOML a text of megabytes too. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof SettingsProblem) return error.message;
  return error instanceof RangeError ? "it is nested too deep, or too long" : undefined;
}
