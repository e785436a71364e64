import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryFiles } from "./repository-files.js";

const files = repositoryFiles();
const page = files.find(({ path }) => path === "docs/dependencies.md")?.text ?? "";
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split("\n", 1)[0] ?? "", packagesIn(section)] as const)
    .filter(([, packages]) => packages.length > 0),
);
/** The dependencies of each section. */
const used = new Map<string, Set<string>>();
for (const { path, text } of files) {
  if (posix.basename(path) !== "package.json") continue;
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text);
  const section = sectionOf(posix.dirname(path));
  const names = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !name.startsWith("@obspan/"),
  );
  used.set(section, new Set([...(used.get(section) ?? []), ...names]));
}

describe("docs/dependencies.md", () => {
  it("has a section for each package.json", () => {
    expect([...sections.keys()].sort()).toEqual([...used.keys()].sort());
  });

  it.each([...used])("has a line for each dependency of %s, and no other", (section, names) => {
    expect([...(sections.get(section) ?? [])].sort()).toEqual([...names].sort());
  });
});

/** The packages of a section's table, one a row. */
function packagesIn(section: string): string[] {
  return Array.from(section.matchAll(/^\| `([^`]+)` +\|/gm), ([, name = ""]) => name);
}

/** The heading for a folder with a package.json. */
function sectionOf(folder: string): string {
  if (folder === ".") return "repository";
  return (
    ["e2e/senders", "examples", "sdk/test/frameworks"].find((parent) => folder.startsWith(`${parent}/`)) ??
    folder
  );
}
