/**
 * `npm test`: installs, builds, gets the servers that the tests talk to, and passes everything: types, lint, unit tests
 * and the journeys through the built artefacts. It ends in one line that counts them.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, checkSources, ensureInstalled, hasProgram, requireNode, root, run } from "./project.mjs";

/** Suites, each with the minutes it may take: a hanging one must not eat the time of the others. */
const SUITES = [
  { name: "SDK", config: "sdk/vitest.config.ts", budgetMinutes: 3 },
  { name: "unit", config: "collector-core/vitest.config.ts", budgetMinutes: 6 },
  { name: "desktop", config: "desktop/vitest.config.ts", budgetMinutes: 5 },
  { name: "end to end", config: "e2e/vitest.config.ts", budgetMinutes: 22 },
];

/** Programs of Debian packages that the tests talk to. */
const PROGRAMS = [
  { program: "prometheus", debianPackage: "prometheus" },
  { program: "chromium", debianPackage: "chromium" },
];

requireNode();
await ensureInstalled();
getPrograms();
await build();
await checkSources();

const reports = mkdtempSync(join(tmpdir(), "obspan-tests-"));
const totals = { passed: 0, failed: 0, skipped: 0 };
for (const [index, suite] of SUITES.entries()) await runSuite(suite, join(reports, `${index}.json`));
rmSync(reports, { recursive: true, force: true });

const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed > 0 ? 1 : 0);

async function runSuite({ name, config, budgetMinutes }, report) {
  console.log(`\n── ${name} (at most ${budgetMinutes} min)`);
  const started = Date.now();
  const code = await run(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config",
      config,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    { timeout: budgetMinutes * 60_000, killSignal: "SIGKILL" },
  );
  const counts = readCounts(report);
  totals.passed += counts.passed;
  totals.skipped += counts.skipped;
  // A suite that was cut off, or failed outside a test, counts as one failure at least.
  totals.failed += code === 0 ? counts.failed : Math.max(1, counts.failed);
  console.log(`── ${name}: ${Math.round((Date.now() - started) / 1000)} s`);
}

function readCounts(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}

/** Installs what is missing where that can be done unasked: as root on Debian. Elsewhere it says what to install. */
function getPrograms() {
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
  console.error(`The tests need ${names} on the PATH (Debian: apt-get install ${packages.join(" ")}).`);
  process.exit(1);
}
