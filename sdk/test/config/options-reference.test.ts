import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as table from "../../src/config/options.js";
import { renderSdkOptions } from "../../../scripts/sdk-options-page.mjs";

it("docs/reference/sdk-options.md is what the table and its TSDoc say; `npm run docs` writes it", () => {
  const page = readFileSync(new URL("../../../docs/reference/sdk-options.md", import.meta.url), "utf8");
  expect(page).toBe(renderSdkOptions(table));
  for (const row of page.split("\n").filter((line) => line.startsWith("| `")))
    expect(row.split(" | ").at(-1)?.length).toBeGreaterThan(10);
});
