/**
 * Finds import cycles in the sources of every workspace, imports of types included: `node scripts/lint/import-cycles.mjs`.
 * Files that import each other can only be read, moved and tested together.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCES = ["sdk/src", "collector-core/src", "desktop/src", "e2e", "scripts"];
const EXTENSIONS = [".ts", ".tsx", ".mts", ".mjs"];

/**
 * @param {ReadonlyMap<string, readonly string[]>} imports - the files that each file imports.
 * @returns {string[][]} the files of each cycle: the strongly connected components (Tarjan).
 */
export function findCycles(imports) {
  const cycles = [];
  const numbers = new Map();
  const lowest = new Map();
  const stack = [];
  const onStack = new Set();

  function visit(file) {
    numbers.set(file, numbers.size);
    lowest.set(file, numbers.get(file));
    stack.push(file);
    onStack.add(file);
    for (const imported of imports.get(file) ?? []) {
      if (!numbers.has(imported)) {
        visit(imported);
        lowest.set(file, Math.min(lowest.get(file), lowest.get(imported)));
      } else if (onStack.has(imported)) {
        lowest.set(file, Math.min(lowest.get(file), numbers.get(imported)));
      }
    }
    if (lowest.get(file) !== numbers.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    for (const each of component) onStack.delete(each);
    if (component.length > 1 || (imports.get(file) ?? []).includes(file)) cycles.push(component);
  }

  for (const file of imports.keys()) if (!numbers.has(file)) visit(file);
  return cycles;
}

const IGNORED = /(?:^|[/\\])(?:node_modules|\.cache|dist|dist-test|out)(?:[/\\]|$)/;

/** @returns {Map<string, string[]>} the imported files of each source file of a repository. */
export function readImports(root) {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file)),
  ).filter((file) => EXTENSIONS.some((extension) => file.endsWith(extension)) && !IGNORED.test(file));
  return new Map(files.map((file) => [file, importsOf(root, file)]));
}

function importsOf(root, file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true);
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => sourceOf(join(root, dirname(file), fileName)))
    .filter((path) => path !== undefined)
    .map((path) => relative(root, path));
}

/** The source of an import, which names the compiled file. */
function sourceOf(path) {
  if (EXTENSIONS.some((extension) => path.endsWith(extension)) && existsSync(path)) return path;
  const bare = path.replace(/\.m?js$/, "");
  return EXTENSIONS.map((extension) => bare + extension).find((candidate) => existsSync(candidate));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cycles = findCycles(readImports(join(import.meta.dirname, "../..")));
  for (const cycle of cycles) process.stderr.write(`Import cycle: ${cycle.join(" -> ")}\n`);
  if (cycles.length > 0) process.exitCode = 1;
}
