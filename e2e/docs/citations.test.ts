import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { SPEC_RULES } from "../conformance/spec-rules.js";
import { citationsIn } from "./citations.js";
import { anchorsOf } from "./markdown-anchors.js";
import { directoryOf, repositoryFiles, ROOT } from "./repository-files.js";

const files = repositoryFiles();
const paths = new Set(files.map(({ path }) => path));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const anchors = anchorsOf(read("docs/specification.md"));

const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length;

describe("citations of the specification", () => {
  it("name rules that docs/specification.md has", () => {
    const found = files.flatMap(({ path, text }) =>
      citationsIn(text).map((citation) => ({ ...citation, path })),
    );
    const missing = found.flatMap(({ path, line, text, anchors: named }) =>
      named
        .filter((anchor) => !anchors.has(anchor))
        .map((anchor) => `${path}:${line}: ${text} (#${anchor} is not in docs/specification.md)`),
    );
    expect(missing).toEqual([]);
    // Fewer would mean that the search misses some.
    expect(found.length).toBeGreaterThan(400);
  });

  it("have an anchor for each rule with a conformance test", () => {
    const named = Object.keys(SPEC_RULES).map((id) => `spec-${id.replace(/[. ]/g, "-")}`);
    expect(named.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  });

  it("have unique anchors", () => {
    const ids = Array.from(read("docs/specification.md").matchAll(/<a id="([^"]*)">/g), ([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  // In parts, because this file would otherwise contain the citations.
  const spec = "spec";
  const contract = "contract";
  it.each([
    [`${spec} 4.9 rule 4`, ["spec-4-9-rule-4"]],
    [`Spec 4.9 rule 6. New`, ["spec-4-9-rule-6"]],
    [`(${spec} 1, 4.9 rule 4)`, ["spec-1", "spec-4-9-rule-4"]],
    [`(${spec} 4.5, 4.6)`, ["spec-4-5", "spec-4-6"]],
    [`${spec} 2.6 and 8, ${contract} 5`, ["spec-2-6", "spec-8", "contract-5"]],
    [`${spec} 8 rules 14 and 16`, ["spec-8-rule-14", "spec-8-rule-16"]],
    [`${spec} 8 rules 1 and 2. Two`, ["spec-8-rule-1", "spec-8-rule-2"]],
    [`${spec} 1 step 3`, ["spec-1-step-3"]],
    [`(${spec}, introduction)`, ["spec-introduction"]],
    [`(${spec} app 1)`, ["spec-app-1"]],
    [`${spec} 4.9 rule 6, 3 times`, ["spec-4-9-rule-6"]],
    [`(${spec} 4.4,\n * ${contract} 3)`, ["spec-4-4", "contract-3"]],
    [`(${contract}\n * 4)`, ["contract-4"]],
    [`${contract} 4, "The ledger"`, ["contract-4-the-ledger"]],
    [`${contract} 4, the ledger`, ["contract-4-the-ledger"]],
    [`as ${contract} 2 has it under "Admission"`, ["contract-2-admission"]],
    [`contracts of 4 kinds, a specimen 4`, []],
  ])("%j is read as %j", (text, expected) => {
    expect(citationsIn(text).flatMap((citation) => citation.anchors)).toEqual(expected);
  });
});

describe("citations of pages", () => {
  /** Directories of pages that are named without a path. */
  const PLACES = ["", "docs", "docs/guide", "docs/reference", "collector-core"];
  /** Pages of Electron's documentation, and licences that the build collects. */
  const ELSEWHERE = /^(?:api|tutorial)\/|(?:^|\/)(?:[\w-]+-)?licenses\.md$/;

  const find = (path: string, page: string): string | undefined =>
    [directoryOf(path), ...PLACES].map((place) => posix.join(place, page)).find((each) => paths.has(each));

  it("name pages that exist", () => {
    const missing = files.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/(?<![\w}/.-])(?:[\w-]+\/|\.{1,2}\/)*[A-Za-z][\w-]*\.md\b/g))
        .filter(([page]) => !ELSEWHERE.test(page) && find(path, page) === undefined)
        .map(({ 0: page, index }) => `${path}:${lineOf(text, index)}: ${page}`),
    );
    expect(missing).toEqual([]);
  });

  it("link to files and anchors that exist", () => {
    const broken = files
      .filter(({ path }) => path.endsWith(".md"))
      .flatMap(({ path, text }) =>
        Array.from(text.matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)/g))
          .filter(([, file = "", anchor]) => !isThere(path, file, anchor))
          .map(({ 0: link, index }) => `${path}:${lineOf(text, index)}: ${link}`),
      );
    expect(broken).toEqual([]);
  });

  function isThere(path: string, file: string, anchor: string | undefined): boolean {
    const target = file === "" ? path : posix.join(directoryOf(path), file).replace(/\/$/, "");
    if (!paths.has(target)) return anchor === undefined && isDirectoryOrOther(target);
    return anchor === undefined || anchorsOf(read(target)).has(anchor);
  }

  /** A directory, or a file that is not text. */
  function isDirectoryOrOther(target: string): boolean {
    return (
      /\.(?:png|svg)$|(?:^|\/)LICENSE$/.test(target) ||
      [...paths].some((path) => path.startsWith(`${target}/`))
    );
  }

  it("name experiments and sections that docs/reliability.md has", () => {
    const page = read("docs/reliability.md");
    const headings = [...anchorsOf(page)];
    const missing = files.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/\breliability\.md(?: (\d+)|, "?([A-Za-z]+))/g))
        .filter(([, row, title]) =>
          row === undefined
            ? !headings.some((heading) => heading.startsWith((title ?? "").toLowerCase()))
            : !new RegExp(String.raw`^\| ${row} +\|`, "m").test(page),
        )
        .map(({ 0: cited, index }) => `${path}:${lineOf(text, index)}: ${cited}`),
    );
    expect(missing).toEqual([]);
  });

  it("name decisions that exist", () => {
    const missing = files.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/\bdecisions\/(\d{4})\b/g))
        .filter(([, number = ""]) => ![...paths].some((each) => each.startsWith(`docs/decisions/${number}-`)))
        .map(({ 0: cited, index }) => `${path}:${lineOf(text, index)}: ${cited}`),
    );
    expect(missing).toEqual([]);
  });
});
