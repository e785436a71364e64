/**
 * `npm run test:frameworks`: packs the SDK, installs it into a copy of each project of sdk/test/frameworks, and runs the project's
 * `check.mjs`, which builds and starts it, sends requests, and asks a real collector for the traces.
 *
 *   --only <name>       only this project; can be repeated
 *   --installed <dir>   links the dependencies from this node_modules and the SDK from its build, and installs nothing; can be
 *                       repeated. A check with several modes then runs one of them (`CHECK_QUICKLY`)
 */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root, runJobs } from "./jobs.mjs";
import { build, ensureInstalled, requireNode } from "./project.mjs";

const PROJECTS = join(root, "sdk/test/frameworks");
/** The address of the collector on the pages of the guide, and so in the projects. */
const GUIDE_ADDRESS = "http://127.0.0.1:8080";
const INSTALL_LIMIT_MS = 300_000;
const CHECK_LIMIT_MS = 1_800_000;
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

const { only, installed } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    installed: { type: "string", multiple: true, default: [] },
  },
}).values;

const names = projectNames();
requireNode();
if (installed.length === 0) {
  await ensureInstalled();
  await build();
}
const folder = mkdtempSync(join(tmpdir(), "obspan-frameworks-"));
/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
/** @type {Map<string, number>} */
const seconds = new Map();
const tarball = installed.length === 0 ? await packSdk() : undefined;
symlinkSync(join(PROJECTS, "check"), join(folder, "check"), "junction");
const failed = await runJobs(names.map((name) => ({ name, run: (output) => testProject(name, output) })));

const width = Math.max(...names.map((name) => name.length));
console.log("");
for (const name of names)
  console.log(
    `${name.padEnd(width)}  ${failed.has(name) ? "failed" : "passed"}  ${seconds.get(name) ?? 0} s`,
  );
console.log(`\n${names.length - failed.size} passed, ${failed.size} failed`);
process.exitCode = failed.size > 0 ? 1 : 0;

/** The projects to run. Exits if `--only` names another. */
function projectNames() {
  const isProject = (name) =>
    ["package.json", "check.mjs"].every((file) => existsSync(join(PROJECTS, name, file)));
  const all = readdirSync(PROJECTS).filter(isProject);
  const unknown = only.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    console.error(`No project is named ${unknown.join(", ")}. The projects are: ${all.join(", ")}.`);
    process.exit(1);
  }
  return only.length > 0 ? all.filter((name) => only.includes(name)) : all;
}

/** @returns {Promise<string>} the path of the tarball. */
async function packSdk() {
  const lines = [];
  const args = ["pack", "--silent", "--pack-destination", folder];
  const succeeded = await run(npm, args, join(root, "sdk"), {}, { write: (text) => lines.push(text) });
  if (!succeeded) throw new Error(`npm pack failed:\n${lines.join("")}`);
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
}

/** Installs a copy of a project and runs its check. */
async function testProject(name, output) {
  const startedAt = Date.now();
  const directory = join(folder, name);
  const collector = await startCollector(output);
  try {
    copyProject(name, directory, collector.url);
    if (tarball === undefined) linkDependencies(directory);
    else if (!(await installDependencies(directory, output))) return false;
    const env = {
      COLLECTOR_URL: collector.url,
      OBSPAN_BIN: join(root, "collector-core/bin/obspan.js"),
      ...(tarball === undefined && { CHECK_QUICKLY: "true" }),
    };
    return await run(process.execPath, ["check.mjs"], directory, env, output, CHECK_LIMIT_MS);
  } finally {
    collector.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    seconds.set(name, Math.round((Date.now() - startedAt) / 1000));
  }
}

/** Copies a project. The copy sends to the collector of the test instead of the guide's. */
function copyProject(name, directory, collectorUrl) {
  const source = join(PROJECTS, name);
  cpSync(source, directory, {
    recursive: true,
    filter: (path) => !/[\\/](?:node_modules|\.next|dist)$/.test(path),
  });
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === "package-lock.json") continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, "utf8");
    if (text.includes(GUIDE_ADDRESS)) writeFileSync(path, text.replaceAll(GUIDE_ADDRESS, collectorUrl));
  }
}

/** Installs the dependencies and the packed SDK, as a user does. */
async function installDependencies(directory, output) {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  const install = (args) => run(npm, [...args, ...quiet], directory, {}, output, INSTALL_LIMIT_MS);
  return (await install(["ci"])) && (await install(["install", "--no-save", tarball]));
}

/** Links the dependencies of a project from the installed folders, and the SDK from its build. */
function linkDependencies(directory) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const sources = new Map([["@obspan/sdk", join(root, "sdk")]]);
  for (const name of Object.keys(dependencies)) {
    const source = installed.map((each) => join(resolve(each), name)).find((path) => existsSync(path));
    if (source === undefined) throw new Error(`${name} is not in ${installed.join(" or ")}.`);
    sources.set(name, source);
  }
  for (const [name, source] of sources) {
    const link = join(directory, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(source, link, "junction");
    linkCommands(source, join(directory, "node_modules/.bin"));
  }
}

/** Links the commands of a package, as npm does. */
function linkCommands(source, directory) {
  const { name, bin = {} } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const commands = typeof bin === "string" ? { [name]: bin } : bin;
  for (const [command, path] of Object.entries(commands)) {
    mkdirSync(directory, { recursive: true });
    symlinkSync(join(source, path), join(directory, command));
  }
}

/** Starts the built collector on a free port, with its traces in memory. */
async function startCollector(output) {
  const child = spawn(process.execPath, [join(root, "collector-core/bin/obspan.js"), "serve"], {
    env: { ...environment(), OBS_SERVER_HOST: "127.0.0.1", OBS_SERVER_PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.add(child);
  let log = "";
  const url = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The collector ended with ${code}:\n${log}`)));
    child.stderr.setEncoding("utf8").on("data", (text) => {
      log = (log + text).slice(-10_000);
      const [, address] = /Listening on (http:\/\/[^\s"]+)/.exec(log) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  child.once("exit", (code, signal) => {
    running.delete(child);
    if (signal !== "SIGKILL") output.write(`The collector ended with ${code ?? signal}:\n${log}\n`);
  });
  return { url, stop: () => void child.kill("SIGKILL") };
}

/** Runs a program and writes its output. @returns {Promise<boolean>} true if it exits with 0 within the limit. */
function run(command, args, cwd, env, output, limitMs = INSTALL_LIMIT_MS) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...environment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      shell: command.endsWith(".cmd"),
    });
    running.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => output.write(text));
    const limit = setTimeout(() => {
      output.write(`${args[0]} took longer than ${limitMs / 1000} s.\n`);
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 5000).unref();
    }, limitMs);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(limit);
      running.delete(child);
      resolve(code === 0);
    });
  });
}

/** The environment without the developer's own settings of the SDK and of test runners. */
function environment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:OBS_|OPENAI_|OTEL_|VITEST|JEST_|NODE_ENV$|NODE_OPTIONS$|FORCE_COLOR$)/.test(name),
    ),
  );
}
