/**
 * Runs the experiments of docs/reliability.md at full size and prints the results. The experiments are tests, which
 * `npm test` runs at a smaller size.
 *
 * `--only <number,…>` selects experiments. `--bin <file>` runs them against another build of the command.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const MOST_MS = 30 * 60_000;

/** Each experiment, with parts of the names of its tests. */
const E2E = "e2e";
const CORE = "collector-core";
const EXPERIMENTS = [
  { number: 2, what: "reject, worker held", suite: E2E, tests: ["reject refuses from the hard limit"] },
  { number: 3, what: "drop_oldest, worker held", suite: E2E, tests: ["drop_oldest accepts everything"] },
  { number: 4, what: "100 KB prompts", suite: E2E, tests: ["limits.max_queue_bytes refuses"] },
  { number: 5, what: "SIGTERM under load", suite: E2E, tests: ["SIGTERM under load"] },
  { number: 6, what: "SIGTERM while the exporter backs off", suite: CORE, tests: ["reliability.md 6"] },
  { number: 7, what: "kill -9 under load", suite: E2E, tests: ["kill -9 under load"] },
  { number: 8, what: "an OTLP receiver that fails", suite: CORE, tests: ["reliability.md 8"] },
  { number: 9, what: "a judge that fails", suite: E2E, tests: ["reliability.md 9"] },
  { number: 10, what: "the log on a full disk", suite: CORE, tests: ["on a full disk"] },
  { number: 11, what: "the port is in use", suite: E2E, tests: ["a port is in use"] },
  { number: 12, what: "the wall clock jumps an hour", suite: E2E, tests: ["reliability.md 12"] },
  { number: 13, what: "a million label values", suite: E2E, tests: ["reliability.md 13"] },
  { number: 14, what: "a million traces; 501 spans in one", suite: E2E, tests: ["reliability.md 14"] },
  { number: 15, what: "200 slow clients", suite: E2E, tests: ["reliability.md 15"] },
  { number: 16, what: "fuzzed requests", suite: E2E, tests: ["reliability.md 16"] },
  { number: 17, what: "continuous load", suite: E2E, tests: ["reliability.md 17"] },
  {
    number: 18,
    what: "kill -9 of one of three collectors; ClickHouse slow and away",
    suite: E2E,
    tests: ["reliability.md 18", "loses nothing that was accepted when a collector is killed"],
  },
  { number: 19, what: "abuse by a sender or a reader", suite: E2E, tests: ["reliability.md 19"] },
  {
    number: 20,
    what: "kill -9 with traces on disk",
    suite: E2E,
    tests: ["a killed collector has its traces again"],
  },
  { number: 21, what: "a slow disk", suite: E2E, tests: ["a disk slower than the load"] },
  {
    number: 22,
    what: "kill -9 during a rebuild",
    suite: E2E,
    tests: ["a collector that rebuilds its index takes spans"],
  },
  { number: 23, what: "a network split of one of two collectors", suite: E2E, tests: ["reliability.md 23"] },
  { number: 24, what: "Redis restarts while limits are shared", suite: E2E, tests: ["reliability.md 24"] },
];
const FILES = {
  [E2E]: ["faults"],
  [CORE]: ["test/export", "test/logging"],
};

const { values: flags } = parseArgs({ options: { only: { type: "string" }, bin: { type: "string" } } });
const wanted = flags.only?.split(",").map(Number) ?? EXPERIMENTS.map(({ number }) => number);
const chosen = EXPERIMENTS.filter(({ number }) => wanted.includes(number));
if (chosen.length < wanted.length) {
  console.error(`--only takes ${EXPERIMENTS.map(({ number }) => number).join(", ")}.`);
  process.exit(2);
}
const bin = flags.bin === undefined ? {} : { OBSPAN_FAULTS_BIN: resolve(flags.bin) };

const directory = mkdtempSync(join(tmpdir(), "obspan-faults-"));
const findingsFile = join(directory, "findings");
const tests = [];
for (const suite of [E2E, CORE]) {
  const names = chosen.filter((each) => each.suite === suite).flatMap((each) => each.tests.map(escaped));
  if (names.length > 0) tests.push(...(await runTests(suite, names.join("|"))));
}
const findings = existsSync(findingsFile)
  ? readFileSync(findingsFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
  : [];
rmSync(directory, { recursive: true });

console.log("\nExperiments of docs/reliability.md");
for (const { number, what, tests: parts } of chosen) {
  const ofPart = parts.map((part) => tests.filter(({ fullName }) => fullName.includes(part)));
  const failed = ofPart.flat().filter(({ status }) => status !== "passed");
  const own = findings.filter(({ experiment }) => experiment === number);
  const isSkipped = own.some(({ skipped }) => skipped);
  const isWhole = ofPart.every((part) => part.length > 0);
  const verdict = failed.length > 0 ? "FAILED " : isSkipped ? "skipped" : isWhole ? "passed " : "NOT RUN";
  if (failed.length > 0 || !(isWhole || isSkipped)) process.exitCode = 1;
  console.log(`  ${String(number).padStart(2)}  ${verdict}  ${what}`);
  for (const { finding } of own) console.log(`               ${finding}`);
  for (const { fullName } of failed) console.log(`               failed: ${fullName}`);
}

/** Runs the tests of a suite with matching names. @returns their names and statuses. */
async function runTests(suite, names) {
  const report = join(directory, `${suite}.json`);
  const child = spawn(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config",
      join(root, suite, "vitest.config.ts"),
      "--root",
      join(root, suite),
      "--testNamePattern",
      names,
      `--testTimeout=${MOST_MS}`,
      // Measurements need the machine for themselves.
      "--maxWorkers=1",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...FILES[suite],
    ],
    { cwd: root, stdio: "inherit", env: { ...process.env, ...bin, OBSPAN_FAULTS_REPORT: findingsFile } },
  );
  await once(child, "exit");
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "passed" || status === "failed");
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
