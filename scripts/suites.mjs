/** The test suites, as jobs. */
import { join } from "node:path";
import { root, runNode } from "./jobs.mjs";

/**
 * Suites. Each has a time budget, so that a hanging suite does not delay the others.
 */
export const SUITES = [
  {
    name: "end to end",
    config: "e2e/vitest.config.ts",
    after: ["command bundle", "pages", "shell"],
    seconds: 590,
    budgetMinutes: 25,
  },
  {
    name: "unit",
    config: "collector-core/vitest.config.ts",
    after: ["types"],
    seconds: 300,
    budgetMinutes: 20,
    isUnit: true,
  },
  {
    name: "desktop",
    config: "desktop/vitest.config.ts",
    after: ["pages", "shell"],
    seconds: 95,
    budgetMinutes: 10,
  },
  {
    name: "SDK",
    config: "sdk/vitest.config.ts",
    after: ["types"],
    seconds: 80,
    budgetMinutes: 10,
    isUnit: true,
  },
  {
    name: "client libraries",
    config: "sdk/test/libraries/vitest.config.ts",
    after: ["types", "types of library tests"],
    seconds: 65,
    budgetMinutes: 10,
  },
];

/**
 * A suite as a job.
 *
 * @param {object} options
 * @param {string} [options.report] file that takes vitest's report as JSON
 * @param {number} [options.workers] number of worker processes; default: as in the suite's config
 * @param {boolean} [options.changedOnly] true to run only the test files that import a file with uncommitted changes
 */
export function suiteJob(
  { name, config, after, seconds, budgetMinutes },
  { report, workers, changedOnly } = {},
) {
  const settings = [
    ...(report === undefined ? [] : ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]),
    ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
    ...(changedOnly ? ["--changed"] : []),
  ];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  return {
    name,
    after,
    seconds,
    run: (output) =>
      runNode([vitest, "run", "--config", config, ...settings], output, {
        timeout: budgetMinutes * 60_000,
        killSignal: "SIGKILL",
      }),
  };
}
