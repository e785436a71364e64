import { parseTOML, type AST } from "toml-eslint-parser";
import { checkAdded, checkRemoved } from "./edited-values.js";
import {
  isTable,
  SettingsProblem,
  type SettingPath,
  type SettingsFormat,
  type SettingValue,
} from "./settings-format.js";
import { lineEndOf, splice } from "./text-layout.js";

/** What has keys and a place in the text. */
type Entry = AST.TOMLKeyValue | AST.TOMLTable;

/**
 * TOML. A value that is a table is added as a section at the end of the file, which is valid wherever the sections around it
 * are; libraries that write a changed document lay out other lines again.
 */
export const TOML: SettingsFormat = {
  parse: (text) => valuesOf(read(text)),

  add(text, setting) {
    const { path, value } = setting;
    const document = read(text);
    const inline = inlineTableOn(document, path);
    const edited =
      inline === undefined
        ? withSection(text, path, value)
        : withEntry(text, inline.table, path.slice(inline.path.length), value);
    checkAdded(valuesOf(document), TOML.parse(edited), setting);
    return edited;
  },

  remove(text, path) {
    const document = read(text);
    const before = valuesOf(document);
    const found = entriesOf(document).filter(({ path: place }) => startsWith(place, path));
    // From the end, so that the places before stay where they are. An entry inside of a removed one goes with it.
    const outermost = found.filter(({ entry }) => !found.some((other) => contains(other.entry, entry)));
    const edited = outermost.reduceRight((rest, { entry }) => withoutEntry(rest, entry), text);
    checkRemoved(before, TOML.parse(edited), path);
    return edited;
  },
};

function read(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: "1.1" });
  } catch (error) {
    // The parser is recursive, and has no line of that.
    if (error instanceof RangeError) throw error;
    const { message, lineNumber } = error as { readonly message?: unknown; readonly lineNumber?: unknown };
    throw new SettingsProblem(`line ${String(lineNumber)} is not valid TOML (${String(message)})`, {
      cause: error,
    });
  }
}

/** A table without a prototype: `__proto__` and `constructor` are keys like any other, which they are not for the library. */
type Table = Record<string, unknown>;

function valuesOf(document: AST.TOMLProgram): Table {
  const root = newTable();
  for (const entry of document.body[0].body)
    if (entry.type === "TOMLKeyValue") put(root, entry);
    else {
      const section = sectionAt(root, entry.resolvedKey);
      for (const inner of entry.body) put(section, inner);
    }
  return root;
}

function newTable(): Table {
  return Object.create(null) as Table;
}

/** The table of a section. Numbers in its path are places in lists of tables. */
function sectionAt(root: Table, path: readonly (string | number)[]): Table {
  let table: Table | unknown[] = root;
  for (const [index, key] of path.entries()) {
    const next: Table | unknown[] = typeof path[index + 1] === "number" ? [] : newTable();
    table = child(table, key, next);
  }
  return table as Table;
}

function child(
  table: Table | unknown[],
  key: string | number,
  fallback: Table | unknown[],
): Table | unknown[] {
  const values = table as Record<string | number, unknown>;
  return (values[key] ??= fallback) as Table | unknown[];
}

function put(table: Table, { key, value }: AST.TOMLKeyValue): void {
  const names = namesOf(key);
  const last = names.pop() ?? "";
  const place = names.reduce<Table>((inner, name) => child(inner, name, newTable()) as Table, table);
  place[last] = valueOf(value);
}

function valueOf(node: AST.TOMLContentNode): unknown {
  switch (node.type) {
    case "TOMLArray":
      return node.elements.map(valueOf);
    case "TOMLInlineTable": {
      const table = newTable();
      for (const entry of node.body) put(table, entry);
      return table;
    }
    case "TOMLValue":
      // The digits: a number of JavaScript has fewer.
      return node.kind === "integer" || node.kind === "float" ? { number: node.number } : node.value;
  }
}

/** Every key and every section, with its path from the top, in the order of the text. */
function entriesOf(document: AST.TOMLProgram): { readonly path: readonly string[]; readonly entry: Entry }[] {
  return document.body[0].body.flatMap((entry) => within(entry, []));
}

function within(
  entry: Entry,
  outer: readonly string[],
): { readonly path: readonly string[]; readonly entry: Entry }[] {
  const path = [...outer, ...namesOf(entry.key)];
  const inner = entry.type === "TOMLTable" ? entry.body : inlineEntries(entry.value);
  // The elements of a list of tables have no path.
  if (entry.type === "TOMLTable" && entry.kind === "array") return [];
  return [{ path, entry }, ...inner.flatMap((next) => within(next, path))];
}

function inlineEntries(value: AST.TOMLContentNode): readonly AST.TOMLKeyValue[] {
  return value.type === "TOMLInlineTable" ? value.body : [];
}

function namesOf(key: AST.TOMLKey): string[] {
  return key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
}

function startsWith(path: readonly string[], start: SettingPath): boolean {
  return start.length <= path.length && start.every((key, index) => key === path[index]);
}

function contains(outer: Entry, inner: Entry): boolean {
  return outer !== inner && outer.range[0] <= inner.range[0] && inner.range[1] <= outer.range[1];
}

/** The innermost inline table on the way to a path: nothing can be added to it from outside. */
function inlineTableOn(
  document: AST.TOMLProgram,
  path: SettingPath,
): { readonly path: readonly string[]; readonly table: AST.TOMLInlineTable } | undefined {
  const found = entriesOf(document).findLast(
    ({ path: place, entry }) =>
      place.length < path.length &&
      startsWith(path, place) &&
      entry.type === "TOMLKeyValue" &&
      entry.value.type === "TOMLInlineTable",
  );
  if (found?.entry.type !== "TOMLKeyValue" || found.entry.value.type !== "TOMLInlineTable") return undefined;
  return { path: found.path, table: found.entry.value };
}

function withSection(text: string, path: SettingPath, value: SettingValue): string {
  const end = lineEndOf(text);
  let section = path;
  let rest = value;
  // A table with one table in it needs no section of its own.
  for (let only = onlyTable(rest); only !== undefined; only = onlyTable(rest)) {
    section = [...section, only.key];
    rest = only.table;
  }
  if (typeof rest !== "object") throw new SettingsProblem("only tables can be added");
  const lines = [
    `[${section.map(keyText).join(".")}]`,
    ...Object.entries(rest).map(([key, inner]) => `${keyText(key)} = ${inlineText(inner)}`),
  ];
  const separator = text === "" ? "" : text.endsWith("\n") ? end : end + end;
  return `${text}${separator}${lines.join(end)}${end}`;
}

function onlyTable(value: SettingValue): { readonly key: string; readonly table: SettingValue } | undefined {
  if (typeof value !== "object") return undefined;
  const [first, ...others] = Object.entries(value);
  if (first === undefined || others.length > 0 || !isTable(first[1])) return undefined;
  return { key: first[0], table: first[1] };
}

function withEntry(text: string, table: AST.TOMLInlineTable, path: SettingPath, value: SettingValue): string {
  const last = table.body.at(-1);
  const entry = `${path.map(keyText).join(".")} = ${inlineText(value)}`;
  if (last === undefined) return splice(text, table.range[0], table.range[1], `{ ${entry} }`);
  return splice(text, last.range[1], last.range[1], `, ${entry}`);
}

function withoutEntry(text: string, { type, range, parent }: Entry): string {
  const [start, end] = range;
  if (type === "TOMLKeyValue" && parent.type === "TOMLInlineTable") {
    const before = /,\s*$/.exec(text.slice(parent.range[0], start))?.[0].length ?? 0;
    const after = before > 0 ? 0 : (/^\s*,\s*/.exec(text.slice(end, parent.range[1]))?.[0].length ?? 0);
    return splice(text, start - before, end + after);
  }
  // The line, and for a section the empty line before it. A comment behind it stays.
  const lineEnd = /^[ \t]*\r?(?:\n|$)/.exec(text.slice(end))?.[0].length ?? 0;
  const emptyLine = type === "TOMLTable" ? emptyLineBefore(text, start) : 0;
  return splice(text, start - emptyLine, end + lineEnd);
}

function emptyLineBefore(text: string, position: number): number {
  if (text.endsWith("\n\r\n", position)) return 2;
  return text.endsWith("\n\n", position) ? 1 : 0;
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function inlineText(value: SettingValue): string {
  if (typeof value !== "object") return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${inlineText(inner)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
