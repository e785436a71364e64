import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";
import { checkAdded, checkRemoved } from "./edited-values.js";
import { SettingsProblem, type SettingsFormat, type SettingValue } from "./settings-format.js";
import { indentationOf, lineEndOf, splice } from "./text-layout.js";

/** Tokens of jsonc-parser, whose `const enum` cannot be imported. */
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const SPACE = 15;
const END = 17;

/**
 * JSON, with or without comments and trailing commas. jsonc-parser finds the places; its own edits move comments and lay out
 * the lines around them again.
 */
export const JSONC: SettingsFormat = {
  parse: (text) => (isEmpty(text) ? {} : (getNodeValue(rootOf(text)) as unknown)),

  add(text, setting) {
    const { path, value } = setting;
    if (isEmpty(text)) {
      const end = lineEndOf(text);
      return `${textOf(nested(path, value), "", "  ", end)}${end}`;
    }
    const root = rootOf(text);
    let depth = 0;
    let object = root;
    for (; depth < path.length - 1; depth++) {
      const next = findNodeAtLocation(object, [path[depth] ?? ""]);
      if (next === undefined) break;
      if (next.type !== "object") throw new SettingsProblem(`${path[depth] ?? ""} is no object`);
      object = next;
    }
    const key = path[depth] ?? "";
    const edited = insert(text, object, key, nested(path.slice(depth + 1), value));
    checkAdded(getNodeValue(root), JSONC.parse(edited), setting);
    return edited;
  },

  remove(text, path) {
    const root = rootOf(text);
    const property = findNodeAtLocation(root, [...path])?.parent;
    if (property === undefined) return text;
    const edited = cut(text, property);
    checkRemoved(getNodeValue(root), JSONC.parse(edited), path);
    return edited;
  },
};

function isEmpty(text: string): boolean {
  return text.trim() === "";
}

function rootOf(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    throw new SettingsProblem(`line ${line} is not valid JSON (${printParseErrorCode(error.error)})`);
  }
  if (root?.type !== "object") throw new SettingsProblem("it is not a JSON object");
  refuseRepeated(root);
  return root;
}

/** Of a key that occurs twice, programs disagree about which one counts. */
function refuseRepeated(object: Node): void {
  const seen = new Set<unknown>();
  for (const { children = [] } of object.children ?? []) {
    const key: unknown = children[0]?.value;
    if (seen.has(key)) throw new SettingsProblem(`it has the key ${JSON.stringify(key)} twice`);
    seen.add(key);
    if (children[1]?.type === "object") refuseRepeated(children[1]);
  }
}

function nested(path: readonly string[], value: SettingValue): SettingValue {
  return path.reduceRight<SettingValue>((inner, key) => ({ [key]: inner }), value);
}

/** Inserts a property after the last one, and after the comments on the line of that one. */
function insert(text: string, object: Node, key: string, value: SettingValue): string {
  const closing = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const end = lineEndOf(text);
  const unit = indentationOf(text);
  const isOneLine =
    last === undefined
      ? !text.trim().includes("\n") && text.trim() !== "{}"
      : !text.slice(object.offset, closing).includes("\n");
  const space = /:\s/.test(text) ? " " : "";
  const name = JSON.stringify(key);
  if (last === undefined) {
    const outer = indentationAt(text, object.offset);
    const property = isOneLine
      ? `${name}:${space}${inlineText(value, space)}`
      : `${end}${outer}${unit}${name}: ${textOf(value, outer + unit, unit, end)}`;
    // A comment between the braces stays before it.
    const from = object.offset + 1 + text.slice(object.offset + 1, closing).trimEnd().length;
    return splice(text, from, closing, isOneLine ? property : `${property}${end}${outer}`);
  }
  const valueEnd = last.offset + last.length;
  const { comma, lineEnd } = triviaAfter(text, valueEnd, closing);
  const indentation = indentationAt(text, last.offset);
  const property = isOneLine
    ? `${space}${name}:${space}${inlineText(value, space)}`
    : `${end}${indentation}${name}: ${textOf(value, indentation, unit, end)}`;
  if (comma !== undefined) {
    const place = isOneLine ? comma + 1 : lineEnd;
    return splice(text, place, place, `${property},`);
  }
  const place = isOneLine ? valueEnd : lineEnd;
  return splice(splice(text, place, place, property), valueEnd, valueEnd, ",");
}

/** Removes a property with the space before it, and the comma that separated it. Comments stay. */
function cut(text: string, property: Node): string {
  const { parent, offset } = property;
  const siblings = parent?.children ?? [];
  const closing = (parent?.offset ?? 0) + (parent?.length ?? 0) - 1;
  const end = offset + property.length;
  const start = text.slice(0, offset).trimEnd().length;
  const after = triviaAfter(text, end, closing).comma;
  if (after !== undefined) return splice(splice(text, after, after + 1), start, end);
  const previous = siblings[siblings.indexOf(property) - 1];
  const withoutIt = splice(text, start, end);
  if (previous === undefined) return withoutIt;
  const before = triviaAfter(text, previous.offset + previous.length, offset).comma;
  return before === undefined ? withoutIt : splice(withoutIt, before, before + 1);
}

/** Where the comma after a value is, and where the value, the comma and the comments on its line end. */
function triviaAfter(
  text: string,
  valueEnd: number,
  closing: number,
): { readonly comma: number | undefined; readonly lineEnd: number } {
  const scanner = createScanner(text.slice(valueEnd, closing));
  let comma: number | undefined;
  let lineEnd = valueEnd;
  let isSameLine = true;
  for (let token = scanner.scan() as number; token !== END; token = scanner.scan() as number) {
    const start = valueEnd + scanner.getTokenOffset();
    if (token === COMMA) comma ??= start;
    else if (token !== LINE_COMMENT && token !== BLOCK_COMMENT) {
      // What follows is the next property.
      if (token !== LINE_BREAK && token !== SPACE) break;
      if (token === LINE_BREAK) isSameLine = false;
      continue;
    }
    if (isSameLine || comma === start) lineEnd = start + scanner.getTokenLength();
  }
  return { comma, lineEnd };
}

/** The space before the first character of the line of a position. */
function indentationAt(text: string, position: number): string {
  const line = text.slice(text.lastIndexOf("\n", position - 1) + 1, position);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function textOf(value: SettingValue, indentation: string, unit: string, end: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${end}${indentation}`);
}

function inlineText(value: SettingValue, space: string): string {
  if (typeof value !== "object") return JSON.stringify(value);
  const parts = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}:${space}${inlineText(inner, space)}`,
  );
  return `{${parts.join(`,${space}`)}}`;
}
