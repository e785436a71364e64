import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: [
      "conformance/**/*.test.ts",
      "journeys/**/*.test.ts",
      "faults/**/*.test.ts",
      "screen/**/*.test.ts",
      "packages/**/*.test.ts",
      "docs/**/*.test.ts",
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A browser on a loaded build machine may starve for longer than any sensible timeout. The report says which test
    // needed its second try; at home there is none.
    retry: process.env["CI"] === undefined ? 0 : 1,
    // The journeys measure time and fill queues: one at a time, so that they do not disturb each other.
    fileParallelism: false,
  },
});
