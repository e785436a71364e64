/** `npm run bench`: installs, builds and runs the benchmarks of docs/performance.md. `-- --quick` for a short run. */
import { join } from "node:path";
import { build, ensureInstalled, mustRun, requireNode, root } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
await mustRun(process.execPath, [join(root, "e2e/bench/main.mjs"), ...process.argv.slice(2)]);
