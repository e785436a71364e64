/** `npm run check`: types, lint, format, dead code, unit tests and citations of the docs. Every commit must pass it. */
import { runJobs, tool } from "./jobs.mjs";
import { COMPILE_JOBS, ensureInstalled, requireNode, sourceJobs } from "./project.mjs";
import { SUITES, suiteJob } from "./suites.mjs";

requireNode();
await ensureInstalled();
const unitTests = SUITES.filter(({ isUnit }) => isUnit).map((suite) => suiteJob(suite));
const citations = {
  name: "citations",
  run: tool("vitest/vitest.mjs", ["run", "--config", "e2e/vitest.config.ts", "e2e/docs"]),
};
const failed = await runJobs([...COMPILE_JOBS, ...unitTests, citations, ...sourceJobs(true)]);
if (failed.size > 0) console.error(`\nFailed: ${[...failed].join(", ")}`);
process.exitCode = failed.size > 0 ? 1 : 0;
