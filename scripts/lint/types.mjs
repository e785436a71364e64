/** Types for the rules that need them, by the compiler of the build: a program of the whole project takes it a second. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { API, TypeFlags } from "typescript-7/unstable/sync";

let api;
const projects = new Map();

/**
 * The type of an expression.
 *
 * @returns {{ isText: boolean, isAnyText: boolean, hasTextKeys: boolean }} whether it is always a text, whether it can be a text
 * of any content, and whether it can be indexed with one
 */
export function typeOf({ filename }, { range: [start, end] }) {
  const { program, checker } = projectOf(filename);
  const source = program.getSourceFile(filename);
  const node = source && findNode(source, start, end);
  const type = node && checker.getTypeAtLocation(node);
  if (type === undefined)
    throw new Error(`${filename}: no type at ${start} of a file of ${projectFile(filename)}`);
  return {
    isText: isText(type),
    isAnyText: isAnyText(type),
    hasTextKeys: checker
      .getIndexInfosOfType(type)
      .some(({ keyType }) => (keyType.flags & TypeFlags.String) !== 0),
  };
}

/** The project of a file, as its nearest tsconfig.json describes it. */
function projectOf(filename) {
  const config = projectFile(filename);
  if (!projects.has(config)) {
    api ??= new API();
    projects.set(config, api.updateSnapshot({ openProjects: [config] }).getProject(config));
  }
  return projects.get(config);
}

function projectFile(filename) {
  let directory = dirname(filename);
  while (!existsSync(join(directory, "tsconfig.json"))) directory = dirname(directory);
  return join(directory, "tsconfig.json");
}

/** The outermost node with exactly this text. */
function findNode(node, start, end) {
  if (node.getStart() === start && node.end === end) return node;
  return node.forEachChild((child) =>
    child.pos <= start && child.end >= end ? findNode(child, start, end) : undefined,
  );
}

function isText(type) {
  return type.isUnionType() ? type.getTypes().every(isText) : (type.flags & TypeFlags.StringLike) !== 0;
}

function isAnyText(type) {
  return type.isUnionType() ? type.getTypes().some(isAnyText) : (type.flags & TypeFlags.String) !== 0;
}
