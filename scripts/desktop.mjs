/** `npm run desktop`: installs, builds, downloads Electron the first time, and starts the desktop app. */
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

/** The npm package has no binary. Its installer downloads it and verifies a checksum from the package. */
async function ensureElectron() {
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH || existsSync(electronPath())) return;
  console.log("Downloading Electron …");
  if ((await run(process.execPath, [join(electron, "install.js")])) === 0 && existsSync(electronPath()))
    return;
  fail(
    "Electron could not be downloaded from github.com. Behind a proxy, set ELECTRON_GET_USE_PROXY=1 and HTTPS_PROXY.\n" +
      "For a mirror, set ELECTRON_MIRROR. For a local copy, set ELECTRON_OVERRIDE_DIST_PATH to its directory.\n" +
      "`npm start` shows the same pages in a browser, without Electron.",
  );
}

/** The path that Electron's index.js returns; importing that file would start the download. */
function electronPath() {
  const pathFile = join(electron, "path.txt");
  const name = existsSync(pathFile) ? readFileSync(pathFile, "utf8") : "electron";
  return join(process.env.ELECTRON_OVERRIDE_DIST_PATH || join(electron, "dist"), name);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
