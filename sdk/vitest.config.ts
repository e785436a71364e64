import { defineConfig } from "vitest/config";

/** Each configures the SDK, which a process does once. */
const CONFIGURING = "test/integrations/**/*.test.ts";

/** Suites of their own. */
const OTHER_SUITES = ["test/frameworks/**", "test/libraries/**"];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../scripts/test-data-home.mjs",
    testTimeout: 20_000,
    // Two cores: more workers would only wait for each other.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [CONFIGURING, ...OTHER_SUITES],
          // Files share a process and the modules in it: loading them for each file took most of the time. What a test changes
          // outside of itself, it puts back.
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: [CONFIGURING], isolate: true } },
    ],
  },
});
