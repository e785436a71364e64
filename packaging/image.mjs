/**
 * Writes what the container image has in /app: `node packaging/image.mjs <directory>`, after the build. The command is bundled, so that
 * it needs no packages but those that evaluation loads on demand, and SQLite where Node.js has none.
 */
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadedOnDemand } from "../collector-core/loaded-on-demand.mjs";

const root = resolve(fileURLToPath(new URL("..", import.meta.url)));
const collector = join(root, "collector-core");
const COLLECTOR_FILES = ["package.json", "bin", "bundle", "ui", "skills", "prometheus", "grafana"];
/** What no program reads at run time. */
const NOT_RUN = new Set([".map", ".ts", ".mts", ".cts", ".md", ".mdx", ".gitkeep"]);

const [, , argument] = process.argv;
if (argument === undefined) {
  console.error("Usage: node packaging/image.mjs <directory>");
  process.exit(2);
}
const image = resolve(argument);

for (const name of COLLECTOR_FILES)
  cpSync(join(collector, name), join(image, "collector-core", name), { recursive: true });
for (const name of ["LICENSE", "packaging/health-check.mjs"])
  cpSync(join(root, name), join(image, name.replace("packaging/", "")));
for (const directory of packages()) copyPackage(directory);

function copyPackage(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) copyPackage(path);
    else if (!NOT_RUN.has(extname(entry.name))) cpSync(path, join(image, relative(root, path)));
  }
}

/** The directories of the packages, with all that they depend on. */
function packages() {
  const found = new Set();
  const names = [...loadedOnDemand(manifestOf(collector)), "node-sqlite3-wasm"];
  const open = names.map((name) => findPackage(name, collector));
  for (const directory of open) {
    if (directory === undefined || found.has(directory)) continue;
    found.add(directory);
    const { dependencies, optionalDependencies, peerDependencies } = manifestOf(directory);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      open.push(findPackage(name, directory));
  }
  return found;
}

/** Where Node finds a package from a directory; undefined for an optional one that is not installed. */
function findPackage(name, from) {
  for (let parent = from; parent.startsWith(root); parent = dirname(parent)) {
    const directory = join(parent, "node_modules", name);
    if (existsSync(join(directory, "package.json"))) return directory;
  }
  return undefined;
}

function manifestOf(directory) {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
}
