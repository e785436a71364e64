import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["journeys/**/*.test.ts", "faults/**/*.test.ts", "screen/**/*.test.ts", "packages/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The journeys measure time and fill queues: one at a time, so that they do not disturb each other.
    fileParallelism: false,
  },
});
