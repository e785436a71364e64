import { defineConfig } from "vitest/config";
import { startWith } from "../scripts/file-order.mjs";

/** Each takes longer than ten seconds. They come first, so that no lane is left alone with one of them at the end. */
const LONGEST = [
  "faults/abuse.test.ts",
  "screen/screen.test.ts",
  "screen/metrics.test.ts",
  "faults/stalled-backup.test.ts",
  "screen/durable-store.test.ts",
  "journeys/otlp-senders.test.ts",
  "packages/collector-package.test.ts",
  "faults/shutdown.test.ts",
  "faults/redis-queue.test.ts",
  "faults/three-collectors.test.ts",
  "journeys/store-command.test.ts",
  "journeys/command-line.test.ts",
  "conformance/spans-and-traces.test.ts",
  "screen/page-details.test.ts",
  "faults/judge.test.ts",
  "screen/hostile-texts.test.ts",
  "faults/queue-pressure.test.ts",
  "journeys/recording-rules.test.ts",
  "journeys/openai-app.test.ts",
  "faults/kept-traces.test.ts",
  "faults/hostile-http.test.ts",
  "screen/sign-in.test.ts",
  "screen/palette.test.ts",
  "screen/hostile-answers.test.ts",
  "faults/slow-disk.test.ts",
  "faults/slow-clients.test.ts",
  "faults/traps.test.ts",
  "screen/traces-queries.test.ts",
  "screen/compare.test.ts",
  "screen/evaluations.test.ts",
];

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
    // They only tell a hang from health: on a busy machine, a test of five seconds takes more than a minute.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Its default, a second, is over on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Three lanes with one file at a time each: they wait a lot, so that two would leave a core unused. Files use free ports
    // and temporary folders. The files of a lane share its process, and so its browser (screen/browser.ts).
    maxWorkers: 3,
    // There is no core for threads that collect garbage beside the tests.
    execArgv: ["--single-threaded-gc"],
    sequence: { sequencer: startWith(import.meta.dirname, LONGEST) },
    isolate: false,
    // Built packages are imported as they are. Vitest would transform each of their modules.
    server: { deps: { external: [/\/(?:collector-core|sdk)\/dist\//] } },
  },
});
