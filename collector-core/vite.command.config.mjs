import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { chunksOfStart } from "./chunks-of-start.mjs";
import manifest from "./package.json" with { type: "json" };
import { latin1Chunks } from "./latin1-chunks.mjs";
import { loadedOnDemand } from "./loaded-on-demand.mjs";
import { withoutNeverLoaded } from "./without-never-loaded.mjs";

/** Compiled before, with their types checked. The storage thread is started by its file name (worker-thread.ts). */
const ENTRIES = { main: "dist/main.js", "storage-thread": "dist/store/sqlite/storage-thread.js" };
/** The commands that ask a collector. */
const COMMANDS = /\/dist\/cli\/(?!serve\/|settings\/|store\/|mcp\/).*\.js$/;

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * The command `obspan` in few files with what it needs to start: reading a thousand files of packages took longer than
 * all the rest (docs/decisions/0009-what-makes-it-fast.md). What the code imports on demand is a file of its own here too.
 */
export default defineConfig({
  configFile: false,
  plugins: [withoutNeverLoaded(), latin1Chunks()],
  publicDir: false,
  ssr: {
    noExternal: true,
    external: loadedOnDemand(manifest),
  },
  build: {
    ssr: true,
    outDir: path("bundle"),
    emptyOutDir: true,
    target: "node20",
    minify: false,
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, path(file)])),
      output: {
        format: "es",
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        codeSplitting: chunksOfStart({
          entries: Object.values(ENTRIES).map(path),
          start: /\/dist\/(?:serve|cli\/serve\/[^/]+)\.js$/,
          shared: [
            { name: "schemas", loadedBy: COMMANDS, importing: /\/node_modules\/typebox\// },
            { name: "commands", loadedBy: COMMANDS },
            {
              name: "configuration",
              loadedBy: /\/dist\/cli\/(?:serve\/check-config-command|settings\/.*)\.js$/,
            },
            { name: "storage", loadedBy: /\/dist\/store\/sqlite\/storage-thread\.js$/ },
          ],
        }),
        // Less to read, and still the names that a stack trace shows.
        minify: { codegen: { removeWhitespace: true }, compress: false, mangle: false },
      },
    },
  },
});
