/**
 * `npm run test:engines`: the tests that need an engine which `npm test` does not have. ClickHouse is chDB, the engine as a library, in a
 * folder of its own; it is installed where it is missing (550 MB). With OBSPAN_TEST_CLICKHOUSE_URL or OBSPAN_TEST_REDIS_URL the same
 * tests run once more, against these servers. Options are those of vitest.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { COMPILE_JOBS, ensureInstalled, requireNode, root, run, tryInstall } from "./project.mjs";
import { runJobs } from "./jobs.mjs";

const ENGINES = join(root, "collector-core/test/engines");
const CLICKHOUSE_TESTS = "test/store/clickhouse";
const REDIS_TESTS = "test/queue/redis";
const { OBSPAN_TEST_CLICKHOUSE_URL: clickHouse, OBSPAN_TEST_REDIS_URL: redis, ...ownEnv } = process.env;

requireNode();
await ensureInstalled();
if ((await runJobs(COMPILE_JOBS, { quiet: true })).size > 0) process.exit(1);

// The registry need not have the engine for every platform.
const isInstalled = (await tryInstall(ENGINES, "install")) && hasEngine();
let code = 0;
if (isInstalled) code = await runTests([CLICKHOUSE_TESTS], ownEnv);
else console.log("Skipped the tests with chDB: it cannot be installed on this machine.");
const elsewhere = [
  ...(clickHouse === undefined ? [] : [CLICKHOUSE_TESTS]),
  ...(redis === undefined ? [] : [REDIS_TESTS]),
];
if (elsewhere.length > 0) code = (await runTests(elsewhere, process.env)) || code;
process.exitCode = code ?? 1;

/** The library itself is an optional dependency, which a platform without one lacks. */
function hasEngine() {
  try {
    return readdirSync(join(ENGINES, "node_modules/@chdb")).length > 0;
  } catch {
    return false;
  }
}

function runTests(folders, env) {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const config = join(ENGINES, "vitest.config.ts");
  const args = [vitest, "run", "--config", config, ...folders, ...process.argv.slice(2)];
  return run(process.execPath, args, { env });
}
