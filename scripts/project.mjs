/** Shared by the scripts: running commands, and installing and building when it is needed. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { root, runJobs, runNode, tool } from "./jobs.mjs";

export { root };
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Exits with a message if this Node is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Obspan needs Node 20.19 or later; this is ${process.version}.`);
  process.exit(1);
}

/** Runs a command in the root of the project. @returns its exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(signal === null ? code : 1));
  });
}

/** Runs a command, and exits with its code if it fails. */
export async function mustRun(command, args, options) {
  const code = await run(command, args, options);
  if (code !== 0) process.exit(code ?? 1);
}

/** Runs the command of a dependency with this Node, without a shell or npx. */
export function mustRunTool(path, args, options) {
  return mustRun(process.execPath, [join(root, "node_modules", path), ...args], options);
}

/**
 * Installs from the lockfile of a directory if node_modules is missing or older. Exits if that fails.
 *
 * @param {string} [directory]
 * @param {"ci" | "install"} [command] - `install` where a package names others that the registry does not have: `ci` refuses its lockfile
 */
export async function ensureInstalled(directory = root, command = "ci") {
  if (!(await tryInstall(directory, command))) process.exit(1);
}

/** The same. @returns false if it fails. */
export async function tryInstall(directory, command) {
  const installed = join(directory, "node_modules", ".package-lock.json");
  const lockfile = join(directory, "package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return true;
  console.log("Installing dependencies …");
  const options = ["--no-audit", "--no-fund", "--loglevel=error"];
  return (await run(npm, [command, ...options], { cwd: directory })) === 0;
}

/** Builds what has changed since the last build. */
export async function build() {
  const failed = await runJobs(BUILD_JOBS, { quiet: true });
  if (failed.size > 0) process.exit(1);
}

/** Builds the published form of the SDK, which the other packages import, if a source has changed. */
async function buildSdk() {
  if (isUpToDate(SDK, ["sdk/package.json", "sdk/tsdown.config.ts", "sdk/src"])) return true;
  await runTsdown({ logLevel: "error" });
  return true;
}

/** Rebuilds the SDK on every change while this process runs. */
export async function watchSdk() {
  // Without cleaning, so that imports do not fail in between.
  await runTsdown({ logLevel: "warn", watch: ["src", "package.json"], clean: false });
}

/** Calls tsdown's API, because its command warns about every Node 20. */
async function runTsdown(options) {
  const { resolve } = createRequire(join(root, "sdk/package.json"));
  const tsdown = await import(pathToFileURL(resolve("tsdown")).href);
  await tsdown.build({ cwd: join(root, "sdk"), ...options });
}

/** Bundles the command `obspan` for a fast start, if one of its inputs has changed. */
async function bundleCommand(output) {
  const config = "collector-core/vite.command.config.mjs";
  const parts = [config, "collector-core/without-never-loaded.mjs", ...BUNDLED];
  return isUpToDate("collector-core/bundle/main.js", parts) || (await vite(config, "error")(output));
}

/** Builds the web UI and copies it to the collector, which serves it, if one of its inputs has changed. */
async function buildPages(output) {
  const config = "desktop/vite.renderer.config.ts";
  if (isUpToDate("collector-core/ui/index.html", [config, ...DESKTOP])) return true;
  if (!(await vite(config, "warn")(output))) return false;
  const ui = join(root, "collector-core/ui");
  rmSync(ui, { recursive: true, force: true });
  cpSync(join(root, "desktop/dist/renderer"), ui, { recursive: true });
  return true;
}

/** Builds the Electron shell, main and preload, if one of its inputs has changed. */
async function buildShell(output) {
  const config = "desktop/vite.shell.config.ts";
  return (
    isUpToDate("desktop/dist/main/main.js", [config, ...DESKTOP]) || (await vite(config, "warn")(output))
  );
}

const SDK = "sdk/dist/index.js";
/** What a bundle takes from the compiled collector, the SDK and the dependencies. */
const BUNDLED = ["collector-core/tsconfig.tsbuildinfo", SDK, "node_modules/.package-lock.json"];
const DESKTOP = ["desktop/package.json", "desktop/src", ...BUNDLED];

/**
 * Whether a file is newer than all its sources.
 *
 * @param {string} output
 * @param {readonly string[]} sources - files, and directories with all that they hold.
 */
function isUpToDate(output, sources) {
  const built = join(root, output);
  if (!existsSync(built)) return false;
  const changedMs = sources.flatMap((source) => {
    const path = join(root, source);
    const stat = statSync(path);
    const files = stat.isDirectory() ? readdirSync(path, { recursive: true }) : [];
    return [stat.mtimeMs, ...files.map((file) => statSync(join(path, String(file))).mtimeMs)];
  });
  return statSync(built).mtimeMs >= Math.max(...changedMs);
}

function vite(config, logLevel) {
  return tool("vite/bin/vite.js", ["build", `--logLevel=${logLevel}`, "--config", join(root, config)]);
}

/** The SDK and all types, for lint, the reference pages and the unit tests. */
export const COMPILE_JOBS = [
  { name: "SDK build", seconds: 5, run: buildSdk },
  { name: "types", after: ["SDK build"], seconds: 10, run: tool("typescript-7/bin/tsc", ["--build"]) },
];

/** The whole build; a job that needs all of it depends on the last three. */
export const BUILD_JOBS = [
  ...COMPILE_JOBS,
  { name: "command bundle", after: ["types"], run: bundleCommand },
  { name: "pages", after: ["types"], run: buildPages },
  { name: "shell", after: ["types"], run: buildShell },
];

/** The types of these tests come from libraries that only `npm test` installs. */
function withoutLibraryTests() {
  const directory = "sdk/test/libraries";
  return existsSync(join(root, directory, "node_modules")) ? [] : [`--ignore-pattern=${directory}/**`];
}

/** Checks of the sources: lint, format, dead code, import cycles, reference pages. */
export function sourceJobs() {
  return [
    {
      name: "lint",
      after: ["types"],
      seconds: 9,
      run: tool("oxlint/bin/oxlint", ["--config=.oxlintrc.project.json", "."]),
    },
    {
      name: "lint of types",
      after: ["types"],
      seconds: 23,
      run: tool("oxlint/bin/oxlint", [".", ...withoutLibraryTests()]),
    },
    { name: "format", run: tool("oxfmt/bin/oxfmt", ["--check", "."]) },
    { name: "dead code", seconds: 11, run: tool("knip/bin/knip.js", []) },
    {
      name: "import cycles",
      run: (output) => runNode([join(root, "scripts/lint/import-cycles.mjs")], output),
    },
    {
      name: "API reference of the SDK",
      after: ["SDK build"],
      seconds: 8,
      run: tool("typedoc/bin/typedoc", ["--options", "sdk/typedoc.config.mjs", "--emit", "none"]),
    },
    {
      name: "reference pages",
      after: ["types"],
      run: (output) => runNode([join(root, "scripts/docs.mjs"), "--check"], output),
    },
  ];
}

/** True if a program is on the PATH. */
export function hasProgram(name) {
  return (
    spawnSync(process.platform === "win32" ? "where" : "which", [name], { stdio: "ignore" }).status === 0
  );
}
