import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryFiles } from "./repository-files.js";

const files = repositoryFiles();
const paths = files.map(({ path }) => path);
const directories = [...new Set(paths.flatMap((path) => parentsOf(path)))];
/** Pages that describe the code. Guides and the list of packages name other things. */
const pages = files.filter(({ path }) =>
  /^(?:ARCHITECTURE|docs\/(?:decisions\/)?(?!dependencies)[\w-]+)\.md$/.test(path),
);

describe.each(pages.map(({ path, text }) => [path, namesIn(text)] as const))("%s", (path, names) => {
  it("names files that exist", () => {
    const named = names.filter((name) => /^[\w./-]+\.(?:ts|tsx|mjs|js)$/.test(name));
    expect(named.filter((name) => !paths.some((each) => isEndOf(each, name)))).toEqual([]);
    if (path === "ARCHITECTURE.md") expect(named.length).toBeGreaterThan(100);
  });
});

it("ARCHITECTURE.md names directories that exist", () => {
  const page = pages.find(({ path }) => path === "ARCHITECTURE.md");
  const named = namesIn(page?.text ?? "").filter((name) => /^(?:[\w-]+\/)+[\w-]*$/.test(name));
  const missing = named.filter((name) => !directories.some((each) => isEndOf(each, name.replace(/\/$/, ""))));
  expect(named.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

/** The inline code of a page. */
function namesIn(markdown: string): string[] {
  return Array.from(markdown.matchAll(/`([^`\s]+)`/g), ([, name = ""]) => name);
}

function isEndOf(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`);
}

/** Every directory above a file. */
function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let parent = posix.dirname(path); parent !== "."; parent = posix.dirname(parent)) parents.push(parent);
  return parents;
}
