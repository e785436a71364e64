import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../scripts/test-data-home.mjs",
    include: [
      "conformance/**/*.test.ts",
      "journeys/**/*.test.ts",
      "faults/**/*.test.ts",
      "screen/**/*.test.ts",
      "packages/**/*.test.ts",
      "docs/**/*.test.ts",
      "bench/**/*.test.ts",
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two lanes with one file at a time each. Files use free ports and temporary folders. The files of a lane share its
    // process, and so its browser (screen/browser.ts).
    maxWorkers: 2,
    isolate: false,
  },
});
