import { isDeepStrictEqual } from "node:util";
import { isTable, SettingsProblem, valueAt, type Setting, type SettingPath } from "./settings-format.js";

/**
 * Checks an edit: nothing but the value has changed. A library or a rule of ours may be wrong about a text that nobody has
 * thought of, and the file belongs to another program.
 *
 * @throws SettingsProblem
 */
export function checkAdded(before: unknown, after: unknown, { path, value }: Setting): void {
  const isAdded = isDeepStrictEqual(plain(valueAt(after, path)), plain(value));
  if (!isAdded || !isDeepStrictEqual(without(after, path), without(before, path))) throw unexpected();
}

/** Checks that nothing but a value has been removed. @throws SettingsProblem */
export function checkRemoved(before: unknown, after: unknown, path: SettingPath): void {
  const isRemoved = valueAt(after, path) === undefined;
  if (!isRemoved || !isDeepStrictEqual(without(after, path), without(before, path))) throw unexpected();
}

function unexpected(): SettingsProblem {
  return new SettingsProblem("it is written in a way that cannot be edited without changing more");
}

/** A copy without the value, and without the tables on the way to it that have nothing else. */
function without(values: unknown, path: SettingPath): unknown {
  if (!isTable(values)) return plain(values);
  const [first, ...rest] = path;
  const entries = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (key !== first) return [[key, plain(value)]];
    const left = rest.length === 0 ? undefined : without(value, rest);
    return left === undefined ? [] : [[key, left]];
  });
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A copy in which the prototype and the order of keys do not count. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isTable(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, plain(inner)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
