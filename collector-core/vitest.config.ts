import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { startWith } from "../scripts/file-order.mjs";

const SOURCES = resolve(import.meta.dirname, "src");

/**
 * Tests import the compiled sources. Node loads them as they are: they need no transformation, and calls between modules take
 * no detour through the module runner, which takes a fifth of the time. `npm test` sets the variable, since it compiles first.
 */
const compiledSources: Plugin = {
  name: "compiled-sources",
  enforce: "pre",
  resolveId(path, importer) {
    if (!path.startsWith(".") || importer === undefined) return null;
    const source = resolve(importer, "..", path);
    if (!source.startsWith(SOURCES)) return null;
    const compiled = resolve(import.meta.dirname, `dist${source.slice(SOURCES.length)}`);
    return existsSync(compiled) ? { id: compiled, external: true } : null;
  },
};

export default defineConfig({
  // eslint-disable-next-line no-restricted-properties -- says how the tests run, not the collector
  plugins: process.env["TEST_COMPILED_SOURCES"] === "1" ? [compiledSources] : [],
  test: {
    root: import.meta.dirname,
    server: { deps: { external: [/\/collector-core\/(?:\.cache\/new-stage\/)?dist\//] } },
    globalSetup: "../scripts/test-data-home.mjs",
    include: ["test/**/*.test.ts"],
    // Run by `npm run test:engines`.
    exclude: ["test/store/clickhouse/**", "test/engines/**"],
    // They only tell a hang from health. Some go through a million values: seconds on a quiet machine, minutes on a busy one.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    // Its default, a second, is over on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Two cores: more workers would only wait for each other.
    maxWorkers: 2,
    // Nor is there a core for threads that collect garbage beside the tests: they took a tenth of the processor time.
    execArgv: ["--single-threaded-gc"],
    // Files share a process and the modules in it: loading them again for each file took a third of the time. What a test
    // changes outside of itself, it puts back.
    isolate: false,
    // They collect garbage again and again, which takes longer when the heap is full of other files' modules.
    sequence: {
      sequencer: startWith(import.meta.dirname, [
        "test/store/memory/held-memory.test.ts",
        "test/store/memory/memory-trace-store.test.ts",
        "test/ingest/retained-text.test.ts",
        "test/pipeline/metrics/label-values.test.ts",
        "test/pipeline/metrics/exposition.test.ts",
      ]),
    },
    // Never setImmediate: the turns of the event loop are shared by all files of a process, and one that a fake clock never
    // runs would hold up every later file.
    fakeTimers: {
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    },
  },
});
