#!/usr/bin/env node
import { statSync } from "node:fs";
import module from "node:module";

/** The command in few files, as the build bundles it (vite.command.config.mjs). */
const bundled = new URL("../bundle/main.js", import.meta.url);
const compiled = new URL("../dist/main.js", import.meta.url);
/** When the sources were compiled; not in the package. */
const compilation = new URL("../tsconfig.tsbuildinfo", import.meta.url);

const modifiedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/** In a checkout, what was compiled after the last whole build is newer than the bundle. */
function newest() {
  const bundledMs = modifiedMs(bundled);
  if (bundledMs !== undefined && bundledMs >= (modifiedMs(compilation) ?? 0)) return bundled;
  return modifiedMs(compiled) === undefined ? undefined : compiled;
}

const entry = newest();
if (entry === undefined) {
  process.stderr.write("obspan is not built yet: run `npm run build`.\n");
  process.exitCode = 1;
} else {
  // Node 22.1 and later keep compiled code between runs.
  module.enableCompileCache?.();
  const { main } = await import(entry.href);
  process.exitCode = await main(process.argv.slice(2));
}
