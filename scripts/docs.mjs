/** Writes the reference pages that are made from the collector's tables. Needs the build. */
import { mkdirSync, writeFileSync } from "node:fs";
import { configFileSchema } from "../collector-core/dist/config/config-file-schema.js";
import { renderOptionsReference } from "../collector-core/dist/config/options-reference.js";

const pages = [
  { file: "options.md", render: renderOptionsReference },
  { file: "config.schema.json", render: () => `${JSON.stringify(configFileSchema(), null, 2)}\n` },
];

const directory = new URL("../docs/reference/", import.meta.url);
mkdirSync(directory, { recursive: true });
for (const { file, render } of pages) writeFileSync(new URL(file, directory), render());
