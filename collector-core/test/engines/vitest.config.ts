import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

/** The tests with engines that are installed beside this file, or run elsewhere. Run by `npm run test:engines`. */
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, "../.."),
    globalSetup: "../scripts/test-data-home.mjs",
    include: [
      "test/store/clickhouse/**/*.test.ts",
      "test/engines/*.test.ts",
      "test/queue/redis/**/*.test.ts",
    ],
    // A time limit only tells a hang from health: a test of the store asks a few hundred questions.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    // The engine takes both cores.
    maxWorkers: 1,
    fakeTimers: {
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    },
  },
});
