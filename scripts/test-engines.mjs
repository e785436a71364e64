/**
 * `npm run test:engines`: the tests that need an engine which `npm test` does not have. ClickHouse is chDB, the engine as a library, in a
 * folder of its own; it is installed where it is missing (550 MB). With OBSPAN_TEST_CLICKHOUSE_URL or OBSPAN_TEST_REDIS_URL the same
 * tests run once more, against these servers. Options are those of vitest.
 */
import { join } from "node:path";
import { ensureEngine, ENGINES } from "./engines.mjs";
import { COMPILE_JOBS, ensureInstalled, requireNode, root, run } from "./project.mjs";
import { runJobs } from "./jobs.mjs";

const CLICKHOUSE_TESTS = "test/store/clickhouse";
/** Of what only the installed engine is for. */
const ENGINE_TESTS = "test/engines";
const REDIS_TESTS = "test/queue/redis";
const { OBSPAN_TEST_CLICKHOUSE_URL: clickHouse, OBSPAN_TEST_REDIS_URL: redis, ...ownEnv } = process.env;

requireNode();
await ensureInstalled();
if ((await runJobs(COMPILE_JOBS, { quiet: true })).size > 0) process.exit(1);

let code = 0;
if (await ensureEngine()) code = await runTests([CLICKHOUSE_TESTS, ENGINE_TESTS], ownEnv);
else console.log("Skipped the tests with chDB: it cannot be installed on this machine.");
const elsewhere = [
  ...(clickHouse === undefined ? [] : [CLICKHOUSE_TESTS]),
  ...(redis === undefined ? [] : [REDIS_TESTS]),
];
if (elsewhere.length > 0) code = (await runTests(elsewhere, process.env)) || code;
process.exitCode = code ?? 1;

function runTests(folders, env) {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const config = join(ENGINES, "vitest.config.ts");
  const args = [vitest, "run", "--config", config, ...folders, ...process.argv.slice(2)];
  return run(process.execPath, args, { env });
}
