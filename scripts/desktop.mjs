/** `npm run desktop`: installs, builds, fetches Electron's binary the first time, and starts the desktop app. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build, ensureInstalled, requireNode, root, run } from "./project.mjs";

const electron = join(root, "node_modules/electron");

requireNode();
await ensureInstalled();
await build();
await ensureElectron();

const app = spawn(electronPath(), [join(root, "desktop"), ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => app.kill(signal));
app.once("error", (error) => fail(`Electron could not be started: ${error.message}`));
app.once("exit", (code, signal) => process.exit(signal === null ? code : 1));

/** The npm package brings no binary: its own installer fetches it, checked against checksums that came with it. */
async function ensureElectron() {
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH || existsSync(electronPath())) return;
  console.log("Fetching Electron …");
  if ((await run(process.execPath, [join(electron, "install.js")])) === 0 && existsSync(electronPath()))
    return;
  fail(
    "Electron's binary could not be fetched from github.com. Behind a proxy set ELECTRON_GET_USE_PROXY=1 and HTTPS_PROXY;\n" +
      "for a mirror set ELECTRON_MIRROR; for a copy that is already there set ELECTRON_OVERRIDE_DIST_PATH to its directory.\n" +
      "Without Electron: `npm start` shows the same pages in a browser.",
  );
}

/** As Electron's own index.js finds it, which would start to fetch it. */
function electronPath() {
  const pathFile = join(electron, "path.txt");
  const name = existsSync(pathFile) ? readFileSync(pathFile, "utf8") : "electron";
  return join(process.env.ELECTRON_OVERRIDE_DIST_PATH || join(electron, "dist"), name);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
