import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configFileSchema } from "../../src/config/config-file-schema.js";
import { OPTION_LIST } from "../../src/config/options.js";
import { optionsHelp, renderOptionsReference } from "../../src/config/options-reference.js";

const reference = (file: string) =>
  readFileSync(new URL(`../../../docs/reference/${file}`, import.meta.url), "utf8");

it("docs/reference/options.md matches the table; `npm run docs` generates it", () => {
  expect(reference("options.md")).toBe(renderOptionsReference());
});

it("docs/reference/config.schema.json matches the table; `npm run docs` generates it", () => {
  expect(JSON.parse(reference("config.schema.json"))).toEqual(configFileSchema());
});

it("lists every option on the page and in the help, with its variable", () => {
  for (const { key, env, envOnly } of OPTION_LIST) {
    expect(renderOptionsReference()).toContain(
      envOnly ? `| – | \`${env}\` |` : `| \`${key}\` | \`${env}\` |`,
    );
    expect(optionsHelp()).toContain(`\n  ${key}  ${env}`);
  }
});
