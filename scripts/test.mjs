/**
 * `npm test`: installs, builds, installs the programs that the tests use, and runs everything: types, lint, unit tests and
 * the end-to-end tests. The last line counts the tests.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runJobs, tool } from "./jobs.mjs";
import { BUILD_JOBS, ensureInstalled, hasProgram, requireNode, sourceJobs } from "./project.mjs";
import { failureLines } from "./failures.mjs";
import { SUITES, suiteJob } from "./suites.mjs";

/** Programs that the tests use, with their Debian packages. */
const PROGRAMS = [
  { program: "prometheus", debianPackage: "prometheus" },
  { program: "chromium-headless-shell", debianPackage: "chromium-headless-shell" },
  { program: "redis-server", debianPackage: "redis-server" },
];

/** The client libraries that the tests of the SDK's integrations use. They are large, and nothing else needs them. */
const LIBRARIES = join(root, "sdk/test/libraries");

requireNode();
await ensureInstalled();
await ensureInstalled(LIBRARIES);
installPrograms();

// The unit tests of the collector import its compiled sources (collector-core/vitest.config.ts).
process.env.TEST_COMPILED_SOURCES = "1";

const reports = mkdtempSync(join(tmpdir(), "obspan-tests-"));
const startedAt = Date.now();
const suites = SUITES.map((suite, index) => ({ ...suite, report: join(reports, `${index}.json`) }));
// The three lanes of the end-to-end tests wait a lot: with one worker for the unit tests they fill two cores. The checks, whose
// results do not depend on time, take what is left.
const failed = await runJobs([
  ...BUILD_JOBS,
  ...suites.map((suite) => suiteJob(suite, { report: suite.report, workers: suite.isUnit ? 1 : undefined })),
  ...[
    {
      name: "types of library tests",
      after: ["types"],
      seconds: 5,
      run: tool("typescript-7/bin/tsc", ["--project", LIBRARIES]),
    },
    ...sourceJobs(),
  ].map((job) => ({ ...job, isBackground: true })),
]);
const results = suites.map(({ name, report }) => ({ name, ...readReport(report) }));
rmSync(reports, { recursive: true, force: true });

const total = (key) => results.reduce((sum, each) => sum + each[key], 0);
// A suite that was killed or failed outside a test, or another failed job, counts as one failure.
const withoutCount = [...failed.keys()].filter(
  (name) => !results.some((each) => each.name === name && each.failed > 0),
);
// Repeated here, because the output of the jobs is long and mixed.
for (const { name, failures } of results)
  for (const failure of failures) console.log(`\n✗ ${name} │ ${failure.join("\n    ")}`);
for (const name of withoutCount)
  if (!results.some((each) => each.name === name && each.failures.length > 0))
    console.log(`\n✗ ${[name, ...(failed.get(name) ?? [])].join("\n    ")}`);
console.log(`\n── all: ${Math.round((Date.now() - startedAt) / 1000)} s`);
if (failed.size > 0) console.log(`Failed: ${[...failed.keys()].join(", ")}`);
const skipped = total("skipped") > 0 ? `, ${total("skipped")} skipped` : "";
console.log(`${total("passed")} passed, ${total("failed") + withoutCount.length} failed${skipped}`);
process.exitCode = failed.size > 0 ? 1 : 0;

function readReport(file) {
  try {
    const report = JSON.parse(readFileSync(file, "utf8"));
    const { numPassedTests: passed, numFailedTests, numPendingTests: skipped } = report;
    return { passed, failed: numFailedTests, skipped, failures: failureLines(report, root) };
  } catch {
    return { passed: 0, failed: 0, skipped: 0, failures: [] };
  }
}

/** Installs missing programs as root on Debian; elsewhere it names the packages and exits. */
function installPrograms() {
  const missing = PROGRAMS.filter(({ program }) => !hasProgram(program));
  if (missing.length === 0) return;
  const packages = missing.map(({ debianPackage }) => debianPackage);
  if (process.getuid?.() === 0 && hasProgram("apt-get")) {
    console.log(`Installing ${packages.join(", ")} …`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    spawnSync("apt-get", ["update", "-qq"], { stdio: ["ignore", "ignore", "inherit"], env });
    const install = ["install", "-y", "-qq", "--no-install-recommends", ...packages];
    spawnSync("apt-get", install, { stdio: ["ignore", "ignore", "inherit"], env });
  }
  const stillMissing = PROGRAMS.filter(({ program }) => !hasProgram(program));
  if (stillMissing.length === 0) return;
  const names = stillMissing.map(({ program }) => program).join(", ");
  console.error(`The tests need ${names} on the PATH. On Debian: apt-get install ${packages.join(" ")}`);
  process.exit(1);
}
