import { fileURLToPath } from "node:url";
import { defineConfig, type EnvironmentOptions } from "vite";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Bundles one entry with all dependencies, because the packed app has no node_modules. */
function bundle(entry: string, outDir: string, format: "es" | "cjs", fileName: string): EnvironmentOptions {
  return {
    consumer: "server",
    resolve: { noExternal: true },
    build: {
      outDir: path(outDir),
      emptyOutDir: true,
      target: "node22",
      minify: false,
      sourcemap: true,
      license: { fileName: "licenses.md" },
      rolldownOptions: {
        input: path(entry),
        // Provided by Electron.
        external: ["electron"],
        output: { format, entryFileNames: fileName, codeSplitting: false },
      },
    },
  };
}

/** The Electron shell: main as an ES module, preload as CommonJS, which is all that a sandboxed preload may be. */
export default defineConfig({
  configFile: false,
  publicDir: false,
  builder: {
    async buildApp(builder) {
      for (const [name, environment] of Object.entries(builder.environments)) {
        // Vite adds environments of its own.
        if (name === "main" || name === "preload") await builder.build(environment);
      }
    },
  },
  environments: {
    main: bundle("src/main/main.ts", "dist/main", "es", "main.js"),
    preload: bundle("src/preload/preload.ts", "dist/preload", "cjs", "preload.cjs"),
  },
});
