import { describe, expect, it } from "vitest";
import { repositoryFiles } from "./repository-files.js";

const PROJECTS = "sdk/test/frameworks/";
/**
 * The folders that show no code: what the checks share, the matrix of runtimes, apps made of examples of the guide, earlier
 * versions of a framework, and a client of the collector.
 */
const WITHOUT_CODE = ["check", "first-trace", "runtimes", "nestjs-11", "nextjs-15", "mcp-inspector"];

const files = new Map(repositoryFiles().map(({ path, text }) => [path, text]));
/** Code on pages of the guide below a link to a file of a project. */
const examples = [...files]
  .filter(([path]) => path.startsWith("docs/guide/"))
  .flatMap(([page, text]) =>
    Array.from(
      text.matchAll(/^\[[^\]]+\]\(\.\.\/\.\.\/([^)]+)\)\n\n```\w+\n(.*?)^```/gms),
      ([, file = "", code = ""]) => [page, file, code] as const,
    ),
  )
  .filter(([, file]) => file.startsWith(PROJECTS));

describe("the pages about frameworks", () => {
  it.each(examples)("%s has the code of %s", (_page, file, code) => {
    expect(code).toBe(files.get(file));
  });

  it("have the code of every project", () => {
    const projects = [...files.keys()]
      .filter((path) => path.startsWith(PROJECTS) && path.endsWith("/check.mjs"))
      .map((path) => path.slice(0, -"check.mjs".length))
      .filter((project) => !WITHOUT_CODE.some((name) => project === `${PROJECTS}${name}/`));
    expect(projects.filter((project) => !examples.some(([, file]) => file.startsWith(project)))).toEqual([]);
  });
});
