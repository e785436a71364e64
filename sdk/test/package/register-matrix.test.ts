import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CELLS } from "../frameworks/runtimes/cells.mjs";
import { withTable } from "../frameworks/runtimes/page-table.mjs";

const page = readFileSync(join(import.meta.dirname, "../../../docs/guide/register.md"), "utf8");

it("the page of register has the table of all tested runtimes and forms of an app", () => {
  expect(page).toBe(withTable(page));
});

it("the table has a row for each runtime and a column for each form", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| "));
  for (const { runtime, form } of CELLS) {
    expect(rows.filter((row) => row.startsWith(`| ${runtime.name} `))).toHaveLength(1);
    expect(rows.filter((row) => row.includes(` ${form.name} `))).toHaveLength(1);
  }
});
