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
    // One chunk for what the core and the integrations share: each further one costs an app a list of imports.
    codeSplitting: { groups: [{ name: "core", test: /src.(?:capture|config|export)/, minShareCount: 2 }] },
  },
  clean: true,
});
