import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as table from "../../src/config/options.js";
import { renderSdkOptions } from "../../../scripts/sdk-options-page.mjs";

it("docs/reference/sdk-options.md is up to date with the option table and its TSDoc (npm run docs)", () => {
  const page = readFileSync(new URL("../../../docs/reference/sdk-options.md", import.meta.url), "utf8");
  expect(page).toBe(renderSdkOptions(table));
  for (const row of page.split("\n").filter((line) => line.startsWith("| `")))
    expect(row.split(" | ").at(-1)?.length).toBeGreaterThan(10);
});

it("each option except functions has its own variable", () => {
  const variables = table.OPTION_LIST.map(([name]) => table.variableOf(name) ?? name);
  expect(new Set(variables).size).toBe(variables.length);
  expect(
    table.OPTION_LIST.filter(([name]) => table.variableOf(name) === undefined).map(([name]) => name),
  ).toEqual(["mask", "beforeSend"]);
  expect(table.variableOf("maxCostPerCallAlert")).toBe("OBS_MAX_COST_PER_CALL_ALERT");
});
