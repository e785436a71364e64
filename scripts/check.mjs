/**
 * `npm run check`: types, lint, format, dead code, citations of the docs, and the unit tests of what changed. Every commit must
 * pass it. `-- --all` runs all unit tests.
 */
import { runJobs, tool } from "./jobs.mjs";
import { COMPILE_JOBS, ensureInstalled, requireNode, sourceJobs } from "./project.mjs";
import { SUITES, suiteJob } from "./suites.mjs";

requireNode();
await ensureInstalled();
const changedOnly = !process.argv.includes("--all");
const unitTests = SUITES.filter(({ isUnit }) => isUnit).map((suite) => suiteJob(suite, { changedOnly }));
const citations = {
  name: "citations",
  run: tool("vitest/vitest.mjs", ["run", "--config", "e2e/vitest.config.ts", "e2e/docs"]),
};
const failed = await runJobs([...COMPILE_JOBS, ...unitTests, citations, ...sourceJobs()]);
if (failed.size > 0) console.error(`\nFailed: ${[...failed.keys()].join(", ")}`);
process.exitCode = failed.size > 0 ? 1 : 0;
