import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import manifest from "./package.json" with { type: "json" };
import { loadedOnDemand } from "./loaded-on-demand.mjs";
import { withoutNeverLoaded } from "./without-never-loaded.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * The command `obspan` in few files with what it needs to start: reading a thousand files of packages took longer than
 * all the rest (docs/decisions/0009-what-makes-it-fast.md). What the code imports on demand is a file of its own here too.
 */
export default defineConfig({
  configFile: false,
  plugins: [withoutNeverLoaded()],
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
      // Compiled before, with its types checked. The storage thread is started by its file name (worker-thread.ts).
      input: { main: path("dist/main.js"), "storage-thread": path("dist/store/sqlite/storage-thread.js") },
      output: {
        format: "es",
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        // Less to read, and still the names that a stack trace shows.
        minify: { codegen: { removeWhitespace: true }, compress: false, mangle: false },
      },
    },
  },
});
