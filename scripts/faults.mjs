/** `npm run faults`: installs, builds and runs the experiments of docs/reliability.md at full size. */
import { join } from "node:path";
import { build, ensureInstalled, mustRun, requireNode, root } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
await mustRun(process.execPath, [join(root, "e2e/faults/main.mjs"), ...process.argv.slice(2)]);
