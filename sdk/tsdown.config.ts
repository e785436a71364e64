import { defineConfig } from "tsdown";

/** Builds what the package ships: ESM and CommonJS, with types for both, an entry for each path of `exports`. */
export default defineConfig({
  entry: {
    index: "src/index.ts",
    openai: "src/integrations/openai/index.ts",
    prices: "src/prices/index.ts",
    wire: "src/wire/index.ts",
  },
  format: ["esm", "cjs"],
  dts: true,
  // `.js` and `.cjs` beside `"type": "module"`, as package.json names them.
  fixedExtension: false,
  target: "node20",
  platform: "node",
  sourcemap: true,
  hash: false,
  minify: true,
  outputOptions: {
    // `require()` in CommonJS: Jest runs it where `import()` does not work.
    dynamicImportInCjs: false,
    codeSplitting: {
      groups: [
        // Shared by what loads later, and by nothing that loads at once.
        { name: "batch-request", test: /export.batch-request/, priority: 1 },
        // One chunk for what the core and the integrations share: each further one costs an app a list of imports.
        { name: "core", test: /src.(?:capture|config|export)/, minShareCount: 2 },
        // The types that several entries share. Named after its file, it would take the place of the main entry's.
        { name: "wire-types.d", test: /src.wire/, minShareCount: 2 },
      ],
    },
  },
  clean: true,
});
