/**
 * For each row: an empty folder, `npm install` of a library and of the packed SDK, the example of the library's page, and a call. The app
 * runs before Obspan is added, with the example as it is, and configured by its environment, with at most three more lines. Where
 * `@obspan/sdk/register` records the library, the app also runs with it and without a line of Obspan. It prints the same each time,
 * and the trace of the call arrives. The variable OBSPAN_ROWS names the rows to check, separated by commas.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodeOf, programOf } from "../check/npx-program.mjs";
import { COLLECTOR_URL, untilTraces } from "../check/traces.mjs";
import { exampleOf, withoutConfigure, withoutObspan } from "./example.mjs";
import { startReplayServer } from "./replay-server.mjs";

/**
 * @typedef {object} Row
 * @property {string} page - the page of the guide.
 * @property {number} [example] - the example of the page. Default: 0.
 * @property {readonly string[]} install - the packages that the user has.
 * @property {readonly (readonly [string, string])[]} [replace] - what the user changes in the example.
 * @property {readonly (readonly [string, string])[]} [unwrap] - what the app had before Obspan instead of a text of the example.
 * @property {string} [before] - what the app needs for this test before Obspan is added.
 * @property {Readonly<Record<string, Row>>} [programs] - further programs that the app starts, by their file.
 * @property {boolean} [isConfigured] - the program calls `configure()` in any case.
 * @property {string} [code] - what the app does after the example.
 * @property {readonly string[]} [exchanges] - the recorded exchanges that answer it.
 * @property {boolean} [isHttp2] - the client speaks HTTP/2.
 * @property {(url: string) => Record<string, string>} [env] - the environment of the app, with the address that replays the exchanges.
 * @property {readonly (readonly string[])[]} expected - the traces, as lines.
 * @property {readonly (readonly string[])[]} [registered] - the traces with `@obspan/sdk/register` alone. Absent if it does not
 * record the library.
 */

/** A version of Node where register hooks every library that it knows. */
const NODE_OF_REGISTER = nodeOf("24");

/** What a user adds at most, besides the wrapper around an object that the app has. */
const MAX_ADDED_LINES = 3;

const run = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const tarball = await packInstalledSdk();

/** Packs the SDK that is installed here, which came from a tarball itself. */
async function packInstalledSdk() {
  const args = ["pack", "--silent", "--ignore-scripts", join(process.cwd(), "node_modules/@obspan/sdk")];
  const { stdout } = await run(npm, args, { shell: npm.endsWith(".cmd") });
  return join(process.cwd(), stdout.trim());
}

/** @param {string} name @param {Row} row */
async function checkRow(name, row) {
  const folder = join(process.cwd(), "projects", name);
  mkdirSync(folder, { recursive: true });
  const npmIn = (args) =>
    run(npm, [...args, "--loglevel=error"], { cwd: folder, shell: npm.endsWith(".cmd") });
  await npmIn(["init", "--yes"]);
  await npmIn(["install", "--no-audit", "--no-fund", "--prefer-offline", ...row.install, tarball]);
  const server = await startReplayServer(row.exchanges ?? [], row.isHttp2);
  const env = { ...process.env, ...row.env?.(server.url) };
  const start = async (codeOf, settings = {}, args = [], node = process.execPath) => {
    for (const [file, program] of Object.entries({ "app.mjs": row, ...row.programs }))
      writeFileSync(join(folder, file), codeOf(program));
    const options = { cwd: folder, env: { ...env, ...settings }, timeout: 60_000 };
    const { stdout, stderr } = await run(node, [...args, "app.mjs"], options);
    return { stdout, stderr: stderr.replaceAll(/\(node:\d+\)/g, "(node)") };
  };
  try {
    const before = await start(codeBefore);
    if (exampleFor(row).includes("configure(")) {
      assert.deepEqual(await start((program) => codeAsOnPage(program, name)), before);
      await untilTraces(name, row.expected);
    }
    const service = `${name}-by-environment`;
    const variables = { OBS_SERVICE: service, OBS_PUSH_URL: COLLECTOR_URL };
    assert.deepEqual(await start((program) => codeByEnvironment(program, service), variables), before);
    await untilTraces(service, row.expected);
    if (row.registered !== undefined) await checkRegister(name, row.registered, start, server.url);
  } finally {
    server.close();
  }
}

/** Runs the app that the user had before Obspan, with register and without. */
async function checkRegister(name, expected, start, modelUrl) {
  const service = `${name}-by-register`;
  const variables = {
    OBS_SERVICE: service,
    OBS_PUSH_URL: COLLECTOR_URL,
    OBS_PROVIDER_HOSTS: new URL(modelUrl).host,
  };
  const node = await programOf(NODE_OF_REGISTER);
  const before = await start(codeBefore, {}, [], node);
  assert.deepEqual(await start(codeBefore, variables, ["--import", "@obspan/sdk/register"], node), before);
  await untilTraces(service, expected);
}

/** @param {Row} program */
function exampleFor({ page, example = 0, replace = [] }) {
  return replaceAll(exampleOf(page, example), replace);
}

/** @param {Row} program */
function codeBefore(program) {
  const { before = "", code = "", unwrap = [] } = program;
  return before + withoutObspan(exampleFor(program), unwrap).code + code;
}

/** @param {Row} program @param {string} service */
function codeAsOnPage(program, service) {
  const code = replaceAll(exampleFor(program), [
    [/service: "\w+"/, `service: "${service}"`],
    [/pushUrl: "[^"]+"/, `pushUrl: "${COLLECTOR_URL}"`],
  ]);
  return code + (program.code ?? "");
}

/** @param {Row} program @param {string} service */
function codeByEnvironment(program, service) {
  const { isConfigured = false, unwrap = [], code = "" } = program;
  const example = isConfigured ? exampleFor(program) : withoutConfigure(exampleFor(program));
  const { added } = withoutObspan(example, unwrap);
  assert.ok(added <= MAX_ADDED_LINES, `The example adds ${added} lines:\n${example}`);
  return isConfigured ? codeAsOnPage(program, service) : example + code;
}

function replaceAll(text, replacements) {
  return replacements.reduce((changed, [from, to]) => changed.replace(from, () => to), text);
}

const only = process.env.OBSPAN_ROWS?.split(",");
const names = readdirSync(new URL("rows", import.meta.url))
  .map((file) => file.replace(".mjs", ""))
  .filter((name) => only?.includes(name) ?? true);
const waiting = [...names];
let failed = 0;
async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { default: row } = await import(`./rows/${name}.mjs`);
    try {
      await checkRow(name, row);
      console.log(`ok ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}: ${error.stderr ?? ""}${error.stack}`);
    }
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(`${names.length - failed} of ${names.length} rows as expected`);
process.exitCode = failed === 0 ? 0 : 1;
