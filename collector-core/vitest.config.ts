import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../scripts/test-data-home.mjs",
    include: ["test/**/*.test.ts"],
    // Some go through a million values: seconds on a quiet machine, a minute on a busy one.
    testTimeout: 90_000,
    // Two cores: more workers would only wait for each other.
    maxWorkers: 2,
    // Files share a process and the modules in it: loading them again for each file took a third of the time. What a test
    // changes outside of itself, it puts back.
    isolate: false,
    // Never setImmediate: the turns of the event loop are shared by all files of a process, and one that a fake clock never
    // runs would hold up every later file.
    fakeTimers: {
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    },
  },
});
