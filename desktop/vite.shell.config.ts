import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type EnvironmentOptions, type Plugin } from "vite";
import { withoutNeverLoaded } from "../collector-core/without-never-loaded.mjs";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Options of {@link bundle}. */
interface BundleOptions {
  readonly entry: string;
  readonly outDir: string;
  readonly format: "es" | "cjs";
  readonly fileName: string;
  /** True: what the code imports on demand is a file of its own, so that the start does not read it. */
  readonly isSplit?: boolean;
  /** Default: empties the directory, and `licenses.md`. A bundle that shares a directory has its own file. */
  readonly licenses?: string;
}

/** Bundles one entry with all dependencies, because the packed app has no node_modules. */
function bundle({
  entry,
  outDir,
  format,
  fileName,
  isSplit = false,
  licenses,
}: BundleOptions): EnvironmentOptions {
  return {
    consumer: "server",
    resolve: { noExternal: true },
    build: {
      outDir: path(outDir),
      emptyOutDir: licenses === undefined,
      target: "node22",
      minify: false,
      sourcemap: true,
      license: { fileName: licenses ?? "licenses.md" },
      rolldownOptions: {
        input: path(entry),
        // Provided by Electron.
        external: ["electron"],
        output: {
          format,
          entryFileNames: fileName,
          chunkFileNames: "[name].js",
          // True is refused: it is the default.
          ...(!isSplit && { codeSplitting: false }),
          // Less to read, and still the names that a stack trace shows.
          minify: { codegen: { removeWhitespace: true }, compress: false, mangle: false },
        },
      },
    },
  };
}

const ENVIRONMENTS: ReadonlySet<string> = new Set(["main", "thread", "preload"]);
const WASM_SQLITE = "node-sqlite3-wasm";

/** SQLite for an Electron whose Node.js has none. Its driver requires it by name, which the packed app cannot resolve. */
const wasmSqlite: Plugin = {
  name: "wasm-sqlite",
  applyToEnvironment: ({ name }) => name === "thread",
  // The replacement moves no line.
  renderChunk: (code) => ({ code: code.replaceAll(`("${WASM_SQLITE}")`, `("./${WASM_SQLITE}")`), map: null }),
  closeBundle() {
    for (const file of ["package.json", "LICENSE", "dist"])
      cpSync(path(`../node_modules/${WASM_SQLITE}/${file}`), path(`dist/main/${WASM_SQLITE}/${file}`), {
        recursive: true,
      });
  },
};

/**
 * The Electron shell: main as an ES module, preload as CommonJS, which is all that a sandboxed preload may be. The storage
 * thread of the collector is beside main, which starts it by its file name.
 */
export default defineConfig({
  configFile: false,
  publicDir: false,
  plugins: [withoutNeverLoaded(), wasmSqlite],
  builder: {
    async buildApp(builder) {
      for (const [name, environment] of Object.entries(builder.environments)) {
        // Vite adds environments of its own. The thread follows main, which empties their directory.
        if (ENVIRONMENTS.has(name)) await builder.build(environment);
      }
    },
  },
  environments: {
    main: bundle({
      entry: "src/main/main.ts",
      outDir: "dist/main",
      format: "es",
      fileName: "main.js",
      isSplit: true,
    }),
    thread: bundle({
      entry: "../collector-core/dist/store/sqlite/storage-thread.js",
      outDir: "dist/main",
      format: "es",
      fileName: "storage-thread.js",
      licenses: "storage-thread-licenses.md",
    }),
    preload: bundle({
      entry: "src/preload/preload.ts",
      outDir: "dist/preload",
      format: "cjs",
      fileName: "preload.cjs",
    }),
  },
});
