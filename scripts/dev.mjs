/** `npm run dev`: the UI with hot reload on port 5173. It compiles every change, also of the SDK, and restarts the collector. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, ensureInstalled, requireNode, root, watchSdk } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
await watchSdk();

const children = [
  spawn(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "--build", "--watch", "--preserveWatchOutput"],
    {
      cwd: root,
      stdio: "inherit",
    },
  ),
  spawn(
    process.execPath,
    [
      "--watch",
      "--watch-preserve-output",
      "--watch-path",
      join(root, "collector-core/dist"),
      "--watch-path",
      join(root, "sdk/dist"),
      join(root, "collector-core/bin/obspan.js"),
      "serve",
      "--local",
      ...process.argv.slice(2),
    ],
    { cwd: root, stdio: "inherit" },
  ),
];
children.push(
  spawn(
    process.execPath,
    [join(root, "node_modules/vite/bin/vite.js"), "--config", join(root, "desktop/vite.renderer.config.ts")],
    { cwd: root, stdio: "inherit" },
  ),
);
const stop = (signal) => {
  for (const child of children) child.kill(signal);
};
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop(signal));
let running = children.length;
for (const child of children) {
  child.once("exit", (code) => {
    stop("SIGTERM");
    process.exitCode = code ?? 0;
    // The watcher of the SDK would keep the process alive.
    if (--running === 0) process.exit();
  });
}
