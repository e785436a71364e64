import { defineConfig } from "vitest/config";
import { startWith } from "../scripts/file-order.mjs";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../scripts/test-data-home.mjs",
    include: ["test/**/*.test.{ts,tsx}"],
    // Only tells a hang from health: on a busy machine, an app starts in half a minute.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Its default, a second, is over on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    // There is no core for threads that collect garbage beside the tests.
    execArgv: ["--single-threaded-gc"],
    // The longest first, so that no worker is left alone with one of them at the end.
    sequence: {
      sequencer: startWith(import.meta.dirname, [
        "test/main/lifecycle.test.ts",
        "test/main/settings.test.ts",
        "test/renderer/features/trace/hostile-texts.test.ts",
      ]),
    },
    // Files share a process and the modules in it: loading them for each file took most of the time. What a test changes outside
    // of itself, it puts back.
    isolate: false,
  },
});
