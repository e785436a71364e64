import { defineConfig } from "vitest/config";
import { edgeFiles } from "./edge-files.js";

/** Each configures the SDK, which a process does once. */
const CONFIGURING = [
  "test/integrations/fetch-transparency.test.ts",
  "test/integrations/fetch.replay.test.ts",
  "test/integrations/model-client/wrap-client.test.ts",
  "test/integrations/openai/wrap-openai*.test.ts",
];

/** Run a second time, with the files of `src/edge`. */
const EDGE = [
  "test/export/exporter.test.ts",
  "test/capture/{follow-result,trace-context}.test.ts",
  "test/edge/*.test.ts",
  "test/runtime/*.test.ts",
  "test/span/{ids,json-value}.test.ts",
];

/** Suites of their own. */
const OTHER_SUITES = ["test/frameworks/**", "test/libraries/**"];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../scripts/test-data-home.mjs",
    // Only tells a hang from health: on a busy machine, a test of two seconds takes more than a minute.
    testTimeout: 180_000,
    // Some pack the SDK.
    hookTimeout: 60_000,
    // Its default, a second, is over on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Two cores: more workers would only wait for each other.
    maxWorkers: 2,
    // There is no core for threads that collect garbage beside the tests.
    execArgv: ["--single-threaded-gc"],
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...CONFIGURING, ...OTHER_SUITES, "test/edge/**"],
          // Files share a process and the modules in it: loading them for each file took most of the time. What a test changes
          // outside of itself, it puts back.
          isolate: false,
          setupFiles: "test/unconfigured.ts",
        },
      },
      {
        extends: true,
        plugins: [{ ...edgeFiles, enforce: "pre" }],
        test: {
          name: "edge",
          include: EDGE,
          isolate: false,
          setupFiles: "test/unconfigured.ts",
          env: { SDK_BUILD: "edge" },
        },
      },
      { extends: true, test: { name: "alone", include: CONFIGURING, isolate: true } },
    ],
  },
});
