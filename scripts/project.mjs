/** What the scripts share: running commands, installing and building where that is still to be done. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { root, runJobs, runNode, tool } from "./jobs.mjs";

export { root };
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
  const failed = await runJobs(BUILD_JOBS, { quiet: true });
  if (failed.size > 0) process.exit(1);
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
  if (existsSync(built) && statSync(built).mtimeMs >= newestMs) return true;
  await runTsdown({ logLevel: "error" });
  return true;
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
async function bundleCommand(output) {
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
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= newestMs) return true;
  return await vite("collector-core/vite.command.config.mjs", "error")(output);
}

/** Builds the web UI, and puts a copy beside the collector that serves it. */
async function buildPages(output) {
  if (!(await vite("desktop/vite.renderer.config.ts", "warn")(output))) return false;
  const ui = join(root, "collector-core/ui");
  rmSync(ui, { recursive: true, force: true });
  cpSync(join(root, "desktop/dist/renderer"), ui, { recursive: true });
  return true;
}

function vite(config, logLevel) {
  return tool("vite/bin/vite.js", ["build", `--logLevel=${logLevel}`, "--config", join(root, config)]);
}

/** The SDK, and all types: what lint, the reference pages and the unit tests need. */
export const COMPILE_JOBS = [
  { name: "SDK build", run: buildSdk },
  { name: "types", after: ["SDK build"], run: tool("typescript/bin/tsc", ["--build"]) },
];

/** All that is built: a job that needs the whole build names the last three. */
export const BUILD_JOBS = [
  ...COMPILE_JOBS,
  { name: "command bundle", after: ["types"], run: bundleCommand },
  { name: "pages", after: ["types"], run: buildPages },
  // The Electron shell: main and preload, beside the pages that it shows.
  { name: "shell", after: ["types"], run: vite("desktop/vite.shell.config.ts", "warn") },
];

/**
 * What holds the sources to their rules: lint, format, dead code, import cycles, reference pages.
 *
 * @param {boolean} useCache - true to look only at files that have changed since the last time. What lint says of a file
 * by the types of others is then as old as the file's last change: `npm test` looks at all.
 */
export function sourceJobs(useCache) {
  const cache = (name) =>
    useCache ? ["--cache", "--cache-strategy=content", `--cache-location=node_modules/.cache/${name}`] : [];
  return [
    { name: "lint", after: ["types"], run: tool("eslint/bin/eslint.js", [".", ...cache("lint/")]) },
    {
      name: "format",
      run: tool("prettier/bin/prettier.cjs", ["--check", "--log-level=warn", ".", ...cache("format-check")]),
    },
    { name: "dead code", after: ["types"], run: tool("knip/bin/knip.js", []) },
    {
      name: "import cycles",
      run: (output) => runNode([join(root, "scripts/lint/import-cycles.mjs")], output),
    },
    {
      name: "reference pages",
      after: ["types"],
      run: (output) => runNode([join(root, "scripts/docs.mjs"), "--check"], output),
    },
  ];
}

/** True where a program is on the PATH. */
export function hasProgram(name) {
  return (
    spawnSync(process.platform === "win32" ? "where" : "which", [name], { stdio: "ignore" }).status === 0
  );
}
