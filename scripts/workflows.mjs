/** `npm run workflows`: validates the workflows against their schema. It cannot run them. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, mustRun, requireNode, root } from "./project.mjs";

const packaging = join(root, "packaging");
const validator = join(packaging, "node_modules/@action-validator/cli/cli.mjs");
const directory = join(root, ".github/workflows");

requireNode();
await ensureInstalled(packaging);
for (const file of readdirSync(directory)) {
  await mustRun(process.execPath, [validator, join(directory, file)]);
  console.log(`${file}: valid`);
}
