/**
 * `npm run pack`: packs the desktop app for this platform into out/, as installers. First it packs the app against a stub of Electron, which
 * needs no download, and checks the content of the archive and the fuses of the program. `npm run pack -- --check` ends there. Other
 * arguments are passed to electron-builder: `--dir` for a folder instead of installers, `-c.electronDist=<folder>` for a local Electron.
 *
 * electron-builder has its own folder and lockfile, packaging/, because it adds half as many packages again as all the rest.
 */
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, ensureInstalled, requireNode, root } from "./project.mjs";

const packaging = join(root, "packaging");
const output = join(root, "out");

/** Files that the app may contain. */
const SHIPPED = [
  /^package\.json$/,
  /^icons\/(icon\.png|tray\/[\w@]+\.(png|ico))$/,
  /^dist\/main\/([\w-]+\.js|(storage-thread-)?licenses\.md)$/,
  /^dist\/main\/node-sqlite3-wasm\/(package\.json|LICENSE|dist\/node-sqlite3-wasm\.(js|wasm))$/,
  /^dist\/preload\/(preload\.cjs|licenses\.md)$/,
  /^dist\/renderer\/(index\.html|licenses\.md|fonts-license\.txt|assets\/[\w.-]+\.(js|css|woff2|svg))$/,
];
/** Files that the app needs to start and show its pages. */
const NEEDED = [
  "package.json",
  "dist/main/main.js",
  "dist/main/storage-thread.js",
  "dist/main/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm",
  "dist/preload/preload.cjs",
  "dist/renderer/index.html",
];

/** Where @electron/fuses finds the fuses of a program: after this text come a version, a count and one character each. */
const SENTINEL = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
/** Their order: https://github.com/electron/electron/blob/main/build/fuses/fuses.json5 */
const FUSES = [
  "runAsNode",
  "enableCookieEncryption",
  "enableNodeOptionsEnvironmentVariable",
  "enableNodeCliInspectArguments",
  "enableEmbeddedAsarIntegrityValidation",
  "onlyLoadAppFromAsar",
  "loadBrowserProcessSpecificV8Snapshot",
  "grantFileProtocolExtraPrivileges",
];
/** How they are set: `0` and `1`. */
const EXPECTED_FUSES = "01001100";
/** How Electron delivers them. */
const DELIVERED_FUSES = "10110001";

requireNode();
await ensureInstalled();
await ensureInstalled(packaging);
await build();
const isChecked = process.argv.includes("--check");
await packAgainstStub();
if (!isChecked) {
  rmSync(output, { recursive: true, force: true });
  const { code, text } = await runBuilder(process.argv.slice(2));
  if (code !== 0) fail([missing(text) ?? text]);
  console.log(text.trimEnd());
  for (const archive of findArchives(output)) checkArchive(archive);
}

/** Packs the folder of the app around a program that has nothing of Electron but its fuses. */
async function packAgainstStub() {
  const scratch = mkdtempSync(join(tmpdir(), "obspan-pack-"));
  try {
    const stub = join(scratch, "electron");
    mkdirSync(stub);
    for (const name of ["electron", "chrome-sandbox", "LICENSE", "LICENSES.chromium.html"])
      writeFileSync(join(stub, name), name === "electron" ? stubProgram() : "", { mode: 0o755 });
    const packed = join(scratch, "out");
    const { code, text } = await runBuilder([
      // The stub is laid out as on Linux; the archive is the same everywhere.
      "--linux",
      "--dir",
      `-c.electronDist=${stub}`,
      `-c.directories.output=${packed}`,
    ]);
    if (code !== 0) fail([missing(text) ?? text]);
    for (const archive of findArchives(packed)) checkArchive(archive);
    checkFuses(join(packed, "linux-unpacked/obspan"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs electron-builder, and keeps what it writes: its failures are stacks. */
async function runBuilder(args) {
  const builder = createRequire(join(packaging, "package.json")).resolve("electron-builder/cli.js");
  const config = ["--config", join(root, "electron-builder.yml"), "--projectDir", root, "--publish", "never"];
  const child = spawn(process.execPath, [builder, ...config, ...args], { cwd: root });
  let text = "";
  child.stdout.on("data", (data) => (text += data));
  child.stderr.on("data", (data) => (text += data));
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, text };
}

/** What could not be downloaded, in one line; undefined for another failure. */
function missing(text) {
  const failure =
    /(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|HTTPError|cannot resolve)/.exec(
      text,
    );
  if (failure === null) return undefined;
  const what = /https:\/\/[^\s"')]+/.exec(text)?.[0] ?? "a file of Electron";
  return `Not packed: ${what} cannot be downloaded (${failure[0]}). With a local Electron: npm run pack -- --dir -c.electronDist=<folder>`;
}

/** The archives of the app, one for each architecture. */
function findArchives(directory) {
  const archives = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === "app.asar")
    .map((entry) => join(entry.parentPath, entry.name));
  if (archives.length === 0) fail([`No app.asar in ${directory}.`]);
  return archives;
}

function checkArchive(archive) {
  const asar = createRequire(join(packaging, "package.json"))("@electron/asar");
  const files = asar
    .listPackage(archive)
    .map((path) => path.replaceAll("\\", "/").slice(1))
    .filter((path) => asar.statFile(archive, path).files === undefined);
  const problems = [
    ...files
      .filter((file) => !SHIPPED.some((pattern) => pattern.test(file)))
      .map((file) => `unexpected: ${file}`),
    ...NEEDED.filter((file) => !files.includes(file)).map((file) => `missing: ${file}`),
  ];
  if (existsSync(`${archive}.unpacked`)) problems.push(`unexpected: ${archive}.unpacked`);
  if (problems.length > 0) fail([`${archive} has the wrong content:`, ...problems]);
  const megabytes = (statSync(archive).size / 1e6).toFixed(1);
  console.log(`${archive}: ${files.length} files of ${megabytes} MB, as expected`);
}

function stubProgram() {
  return Buffer.concat([Buffer.from(SENTINEL), Buffer.from([1, FUSES.length]), Buffer.from(DELIVERED_FUSES)]);
}

function checkFuses(program) {
  const bytes = readFileSync(program);
  const start = bytes.indexOf(SENTINEL) + SENTINEL.length + 2;
  const found = bytes.toString("latin1", start, start + FUSES.length);
  const problems = FUSES.flatMap((name, index) =>
    found[index] === EXPECTED_FUSES[index] ? [] : [`${name} is ${found[index]}`],
  );
  if (problems.length > 0) fail([`${program} has the wrong fuses:`, ...problems]);
  console.log(`${FUSES.length} fuses, as expected`);
}

function fail(lines) {
  console.error(lines.join("\n  "));
  process.exit(1);
}
