/** A value of a settings file, as JSON has it. */
export type SettingValue = string | boolean | { readonly [key: string]: SettingValue };

/** Where a value is: the keys that lead to it. */
export type SettingPath = readonly string[];

/** A value and its place. */
export interface Setting {
  readonly path: SettingPath;
  readonly value: SettingValue;
}

/** Edits the text of a settings file. What it does not have to change stays as it is, to the byte. */
export interface SettingsFormat {
  /** The values of the text. @throws SettingsProblem if the text is invalid. */
  parse(text: string): unknown;
  /** Adds a value that is not there. @throws SettingsProblem if there is no place for it. */
  add(text: string, setting: Setting): string;
  /** Removes a value. @throws SettingsProblem if that would change another one. */
  remove(text: string, path: SettingPath): string;
}

/** A settings file cannot be read or edited. The message names neither the file nor its values. */
export class SettingsProblem extends Error {
  override readonly name = "SettingsProblem";
}

/** The value at a path; undefined if there is none. */
export function valueAt(values: unknown, path: SettingPath): unknown {
  let value = values;
  for (const key of path) {
    if (!isTable(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** True for an object with keys, which a list and a date are not. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** `mcp_servers.obspan`: a path as text. */
export function pathText(path: SettingPath): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join(".");
}
