/** What the scripts share: running commands, installing and building where that is still to be done. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { dirname, join } from "node:path";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Stops with a message where this Node is too old: a syntax error deep in a dependency would say less. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Obspan needs Node 20.19 or later; this is ${process.version}.`);
  process.exit(1);
}

/** Runs a command in the project's root and resolves with its exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(signal === null ? code : 1));
  });
}

/** Runs a command, and exits with its code where it fails. */
export async function mustRun(command, args, options) {
  const code = await run(command, args, options);
  if (code !== 0) process.exit(code ?? 1);
}

/** Runs the entry file of a dependency's command with this Node: no shell, no npx. */
export function mustRunTool(path, args, options) {
  return mustRun(process.execPath, [join(root, "node_modules", path), ...args], options);
}

/** Installs what a directory's lockfile names, where node_modules is missing or older than the lockfile. */
export async function ensureInstalled(directory = root) {
  const installed = join(directory, "node_modules", ".package-lock.json");
  const lockfile = join(directory, "package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return;
  console.log("Installing dependencies …");
  await mustRun(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: directory });
}

/** Compiles what has changed since the last build, and puts the web UI beside the collector that serves it. */
export async function build() {
  await buildSdk();
  await mustRunTool("typescript/bin/tsc", ["--build"]);
  await bundleCommand();
  await mustRunTool("vite/bin/vite.js", [
    "build",
    "--logLevel=warn",
    "--config",
    join(root, "desktop/vite.renderer.config.ts"),
  ]);
  await buildShell();
  const ui = join(root, "collector-core/ui");
  rmSync(ui, { recursive: true, force: true });
  cpSync(join(root, "desktop/dist/renderer"), ui, { recursive: true });
}

/** Builds the SDK as it is shipped, which all others import: only where a source is newer than the last build. */
async function buildSdk() {
  const built = join(root, "sdk/dist/index.js");
  const sources = [
    "package.json",
    "tsdown.config.ts",
    ...readdirSync(join(root, "sdk/src"), { recursive: true }).map((file) => join("src", String(file))),
  ];
  const newestMs = Math.max(...sources.map((file) => statSync(join(root, "sdk", file)).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs >= newestMs) return;
  await runTsdown({ logLevel: "error" });
}

/** Builds the SDK anew whenever a source of it changes, for as long as this process runs. */
export async function watchSdk() {
  // Without cleaning: whoever imports it must not find it gone.
  await runTsdown({ logLevel: "warn", watch: ["src", "package.json"], clean: false });
}

/** Not by its command, which warns of every Node 20: that is our floor. */
async function runTsdown(options) {
  const { resolve } = createRequire(join(root, "sdk/package.json"));
  const tsdown = await import(pathToFileURL(resolve("tsdown")).href);
  await tsdown.build({ cwd: join(root, "sdk"), ...options });
}

/** Bundles the command `obspan`, so that it starts quickly: only where something that goes into it has changed. */
async function bundleCommand() {
  const bundle = join(root, "collector-core/bundle/main.js");
  const config = join(root, "collector-core/vite.command.config.mjs");
  const compiled = join(root, "collector-core/tsconfig.tsbuildinfo");
  const parts = [
    config,
    compiled,
    join(root, "sdk/dist/index.js"),
    join(root, "node_modules/.package-lock.json"),
  ];
  const newestMs = Math.max(...parts.map((file) => statSync(file).mtimeMs));
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= newestMs) return;
  await mustRunTool("vite/bin/vite.js", ["build", "--logLevel=error", "--config", config]);
}

/** Bundles the Electron shell: main and preload, beside the pages that it shows. */
function buildShell() {
  const config = join(root, "desktop/vite.shell.config.ts");
  return mustRunTool("vite/bin/vite.js", ["build", "--logLevel=warn", "--config", config]);
}

/** What holds the sources to their rules: lint, format, dead code, reference pages. Needs the build. */
export async function checkSources() {
  await mustRunTool("eslint/bin/eslint.js", ["."]);
  await mustRunTool("prettier/bin/prettier.cjs", ["--check", "--log-level=warn", "."]);
  await mustRunTool("knip/bin/knip.js", []);
  await mustRun(process.execPath, [join(root, "scripts/docs.mjs"), "--check"]);
}

/** True where a program is on the PATH. */
export function hasProgram(name) {
  return (
    spawnSync(process.platform === "win32" ? "where" : "which", [name], { stdio: "ignore" }).status === 0
  );
}
