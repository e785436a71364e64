import { defineConfig } from "tsdown";

/** Builds what the package ships: ESM and CommonJS, with types for both, an entry for each path of `exports`. */
export default defineConfig({
  entry: {
    index: "src/index.ts",
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
  minify: true,
  clean: true,
});
