/** `npm start`: installs, builds and runs the collector on the loopback interface. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, ensureInstalled, requireNode, root } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();

const collector = spawn(
  process.execPath,
  [join(root, "collector-core/bin/obspan.js"), "serve", "--local", ...process.argv.slice(2)],
  { stdio: "inherit" },
);
// A terminal sends Ctrl+C to both processes, a supervisor sends SIGTERM to this one only. The collector ignores a repeated
// signal within a second.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => collector.kill(signal));
collector.once("exit", (code, signal) => process.exit(signal === null ? code : 1));
