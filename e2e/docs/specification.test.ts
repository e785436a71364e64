import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./repository-files.js";

const specification = rowsOf("docs/specification.md");

/**
 * The reference pages are generated from the tables of the code. The facts that they share with docs/specification.md must be
 * equal, except for the column with the meaning.
 */
describe("docs/specification.md and the reference pages say the same", () => {
  it("of every option of the collector: key, variable, default and value", () => {
    compare(rowsOf("docs/reference/options.md"), 4, ([, variable = ""]) => /^`OBS_SERVER_/.test(variable));
  });

  it("of every option of the SDK: variable, default and value", () => {
    const inSnakeCase = rowsOf("docs/reference/sdk-options.md").map(([option = "", ...rest]) => [
      option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      ...rest,
    ]);
    compare(
      inSnakeCase,
      4,
      ([option = "", variable = ""]) => /^`OBS_(?!SERVER_)/.test(variable) || option === "`mask`",
    );
  });

  it("of every error: status and code", () => {
    compare(
      rowsOf("docs/reference/errors.md"),
      2,
      ([status = "", code = ""]) => /^\d{3}$/.test(status) && code.startsWith("`") && !code.startsWith("`{"),
    );
  });

  it("of every metric family: type, unit and labels", () => {
    compare(
      rowsOf("docs/reference/metrics.md"),
      4,
      ([family = "", type = ""]) => /^`obs_/.test(family) && /^(?:counter|gauge|histogram)$/.test(type),
    );
  });
});

/** Compares the first cells of the rows that `isOne` selects in both pages. */
function compare(
  reference: readonly (readonly string[])[],
  cells: number,
  isOne: (row: readonly string[]) => boolean,
): void {
  const shown = (rows: readonly (readonly string[])[]): string[] =>
    rows
      .filter(isOne)
      .map((row) => row.slice(0, cells).join(" | "))
      .toSorted();
  expect(shown(reference).length).toBeGreaterThan(20);
  expect(shown(specification)).toEqual(shown(reference));
}

/** The rows of all tables of a page, cell by cell. */
function rowsOf(page: string): string[][] {
  const lines = readFileSync(join(ROOT, page), "utf8").split("\n");
  return lines
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
