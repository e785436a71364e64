import { defineConfig } from "vitest/config";
import { startWith } from "../../../scripts/file-order.mjs";

/** The integrations with the real client libraries, which are installed beside these tests. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../../../scripts/test-data-home.mjs",
    include: ["**/*.test.ts"],
    // Only tells a hang from health.
    testTimeout: 120_000,
    // Some pack the SDK.
    hookTimeout: 60_000,
    // Its default, a second, is over on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Two cores: more workers would only wait for each other. Each file configures the SDK, which a process does once.
    maxWorkers: 2,
    // There is no core for threads that collect garbage beside the tests.
    execArgv: ["--single-threaded-gc"],
    // The longest first, so that no worker is left alone with one of them at the end.
    sequence: {
      sequencer: startWith(import.meta.dirname, [
        "guides.test.ts",
        "register.test.ts",
        "claude-agent-sdk.test.ts",
        "frameworks.test.ts",
        "live-text.test.ts",
      ]),
    },
  },
});
