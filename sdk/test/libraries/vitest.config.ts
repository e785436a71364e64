import { defineConfig } from "vitest/config";
import { startWith } from "../../../scripts/file-order.mjs";

/** Wrap clients, and change nothing else in their process. */
const CLIENTS = [
  "{anthropic,bedrock,cohere,google,groq,mistral,ollama}.test.ts",
  "{langchain,langchain.live,mcp}.test.ts",
];

/** The integrations with the real client libraries, which are installed beside these tests. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: "../../../scripts/test-data-home.mjs",
    // Only tells a hang from health.
    testTimeout: 120_000,
    // Some pack the SDK.
    hookTimeout: 60_000,
    // Its default, a second, is over on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Two cores: more workers would only wait for each other.
    maxWorkers: 2,
    // There is no core for threads that collect garbage beside the tests.
    execArgv: ["--single-threaded-gc"],
    projects: [
      {
        extends: true,
        test: {
          name: "clients",
          include: CLIENTS,
          // Files share a process and the libraries in it: starting and loading took most of the time. Each has a new SDK.
          isolate: false,
          setupFiles: "fresh-runtime.ts",
        },
      },
      {
        extends: true,
        // Each file configures the SDK, which a process does once, and registers it with what the process shares.
        test: { name: "alone", include: ["**/*.test.ts"], exclude: [...CLIENTS, "**/node_modules/**"] },
      },
    ],
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
