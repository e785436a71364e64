import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../scripts/test-data-home.mjs",
    include: ["test/**/*.test.{ts,tsx}"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Files share a process and the modules in it: loading them for each file took most of the time. What a test changes outside
    // of itself, it puts back.
    isolate: false,
  },
});
