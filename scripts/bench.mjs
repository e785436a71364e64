/** `npm run bench`: installs, builds and runs the benchmarks of docs/performance.md. `-- --quick` for a short run. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, ensureInstalled, mustRun, requireNode, root } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
// Other products, which only the part of the SDK measures, and not beside a baseline. They are large.
const [, , ...args] = process.argv;
const { values } = parseArgs({ args, options: { only: { type: "string" } }, strict: false });
const parts = typeof values.only === "string" ? values.only.split(",") : ["sdk"];
if (parts.includes("sdk") && values.baseline === undefined)
  await ensureInstalled(join(root, "e2e/bench/libraries"), "install");
await mustRun(process.execPath, [join(root, "e2e/bench/main.mjs"), ...args]);
