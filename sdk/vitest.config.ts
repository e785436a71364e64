import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../scripts/test-data-home.mjs",
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    // Two cores: more workers would only wait for each other.
    maxWorkers: 2,
    // Files share a process and the modules in it: loading them for each file took most of the time. What a test changes outside
    // of itself, it puts back.
    isolate: false,
  },
});
