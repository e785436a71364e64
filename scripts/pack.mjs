/**
 * `npm run pack`: packs the desktop app for this platform into out/, and checks the content of the archive.
 * Arguments after `--` are passed to electron-builder: `npm run pack -- --dir` for a folder instead of installers,
 * `-c.electronDist=<folder>` for a local Electron.
 *
 * electron-builder has its own folder and lockfile, packaging/, because it adds half as many packages again as all the rest.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, ensureInstalled, mustRun, requireNode, root } from "./project.mjs";

const packaging = join(root, "packaging");
const output = join(root, "out");

/** Files that the app may contain. */
const SHIPPED = [
  /^package\.json$/,
  /^icons\/(icon\.png|tray\/[\w@]+\.(png|ico))$/,
  /^dist\/main\/(main\.js|storage-thread\.js|(storage-thread-)?licenses\.md)$/,
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

requireNode();
await ensureInstalled();
await ensureInstalled(packaging);
await build();
rmSync(output, { recursive: true, force: true });
const builder = createRequire(join(packaging, "package.json")).resolve("electron-builder/cli.js");
await mustRun(process.execPath, [
  builder,
  "--config",
  join(root, "electron-builder.yml"),
  "--projectDir",
  root,
  "--publish",
  "never",
  ...process.argv.slice(2),
]);
for (const archive of findArchives(output)) checkArchive(archive);

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
  console.log(`${archive}: ${files.length} files, as expected`);
}

function fail(lines) {
  console.error(lines.join("\n  "));
  process.exit(1);
}
