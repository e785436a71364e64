import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";
import { repositoryFiles, ROOT } from "./repository-files.js";

const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
const paths = repositoryFiles().map(({ path }) => path);
const directories = new Set(paths.flatMap((path) => parentsOf(path)));
const named = Array.from(page.matchAll(/`([^`\s]+)`/g), ([, name = ""]) => name);

it("ARCHITECTURE.md names files that exist", () => {
  const files = named.filter((name) => /^[\w./-]+\.(?:ts|tsx|mjs|js)$/.test(name));
  expect(files.filter((name) => !paths.some((path) => isEndOf(path, name)))).toEqual([]);
  expect(files.length).toBeGreaterThan(100);
});

it("ARCHITECTURE.md names directories that exist", () => {
  const folders = named.filter((name) => /^[\w-]+(?:\/[\w-]+)*\/?$/.test(name) && name.includes("/"));
  const missing = folders.filter(
    (name) => ![...directories].some((path) => isEndOf(path, name.replace(/\/$/, ""))),
  );
  expect(missing).toEqual([]);
});

function isEndOf(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`);
}

/** Every directory above a file. */
function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let parent = posix.dirname(path); parent !== "."; parent = posix.dirname(parent)) parents.push(parent);
  return parents;
}
