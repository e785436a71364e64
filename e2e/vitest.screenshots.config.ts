import { defineConfig } from "vitest/config";

/** `npm run screenshots`: pictures to look at, not tests to pass. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../scripts/test-data-home.mjs",
    include: ["screenshots/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
