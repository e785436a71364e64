/** `npm run bench`: installs, builds and runs the benchmarks of docs/performance.md. `-- --quick` for a short run. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureEngine } from "./engines.mjs";
import { build, ensureInstalled, mustRun, requireNode, root } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
// Other products, which only one part measures, those beside the SDK not with a baseline. They are large.
const [, , ...args] = process.argv;
const { values } = parseArgs({ args, options: { only: { type: "string" } }, strict: false });
const parts = typeof values.only === "string" ? values.only.split(",") : ["sdk", "cluster"];
if (parts.includes("sdk") && values.baseline === undefined)
  await ensureInstalled(join(root, "e2e/bench/libraries"), "install");
if (parts.includes("cluster") && process.platform === "linux" && !(await ensureEngine()))
  console.log("Without ClickHouse: chDB cannot be installed on this machine.");
await mustRun(process.execPath, [join(root, "e2e/bench/main.mjs"), ...args]);
