/**
 * The benchmark: what it measures and how to read it is in docs/performance.md.
 *
 * `--quick` shortens every part, `--only <part,…>` runs some of them, `--full` measures throughput with 1,000,000 spans
 * stored, `--baseline <directory>` compares with another built checkout, in `--starts <number>` starts of each in turn,
 * `--text <characters>` sets the text in each span, `--spans <number,…>` sets the sizes of the file of traces, `--rate <number>`
 * sets the requests a second at which shapes of several collectors are compared, `--strict` fails if a goal is missed by more than
 * its tolerance.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compareWithBaseline, printComparison, STARTS } from "./baseline.mjs";
import { LoadGenerator } from "./load.mjs";
import { createParts } from "./parts.mjs";
import { projectDirectory, stopServers } from "./servers.mjs";
import { DEFAULT_TEXT_LENGTH } from "./span-batches.mjs";

/** What the parts start of a checkout. */
const BUILT = ["collector-core/dist", "collector-core/ui", "sdk/dist", "node_modules"];

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    only: { type: "string" },
    baseline: { type: "string" },
    starts: { type: "string" },
    text: { type: "string", default: String(DEFAULT_TEXT_LENGTH) },
    spans: { type: "string", default: "100000" },
    rate: { type: "string", default: "500" },
    strict: { type: "boolean", default: false },
  },
});
const baseline = flags.baseline === undefined ? undefined : resolve(flags.baseline);
const isComparison = baseline !== undefined;
if (isComparison && BUILT.some((path) => !existsSync(join(baseline, path))))
  refuse(`--baseline takes a built checkout; run npm run build in ${baseline}.`);
if (!isComparison && flags.starts !== undefined) refuse("--starts is for --baseline.");
const starts = Number(flags.starts ?? (flags.quick ? STARTS.quick : STARTS.usual));
if (!Number.isInteger(starts) || starts < STARTS.least || starts > STARTS.most)
  refuse(`--starts takes a number from ${STARTS.least} to ${STARTS.most}; got ${flags.starts}.`);
const clusterRate = Number(flags.rate);
if (!Number.isInteger(clusterRate) || clusterRate < 1)
  refuse(`--rate takes requests a second, a whole number from 1; got ${flags.rate}.`);
const rounds = isComparison ? 1 : flags.quick ? 3 : 5;
const secondsPerRound = flags.quick ? 1 : 3;

const generator = new LoadGenerator();
const parts = createParts({
  generator,
  rounds,
  secondsPerRound,
  textLength: Number(flags.text),
  isQuick: flags.quick,
  isFull: flags.full,
  isComparison,
  diskSizes: flags.spans.split(",").map(Number),
  clusterRate,
});
const chosen = flags.only?.split(",") ?? Object.keys(parts);
const unknown = chosen.filter((part) => !Object.hasOwn(parts, part));
if (unknown.length > 0) refuse(`--only takes ${Object.keys(parts).join(", ")}; got ${unknown.join(", ")}.`);

const machine = { cores: cpus().length, memoryGb: Math.round(totalmem() / 2 ** 30), node: process.version };
const repetition = isComparison
  ? `medians of ${starts} alternating starts of each checkout`
  : `medians of ${rounds} rounds`;
console.log(`${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}; ${repetition}`);

const file = join(projectDirectory, ".cache/bench", `${new Date().toISOString().replaceAll(":", "-")}.json`);
mkdirSync(dirname(file), { recursive: true });
const conditions = { machine, rounds, secondsPerRound, ...(isComparison && { baseline, starts }) };
const results = {};
const failed = [];
const refused = [];
const lost = [];
const missed = [];
for (const name of chosen) {
  try {
    results[name] = await measure(name, parts[name]);
  } catch (error) {
    console.error(error);
    failed.push(`  ${name}: ${error.message}`);
    generator.restart();
    await stopServers();
  }
  // A comparison of all parts takes hours: what is measured is kept if it is ended.
  writeFileSync(file, `${JSON.stringify({ ...conditions, ...results }, null, 2)}\n`);
}
generator.stop();
console.log(`\nAll figures: ${relative(projectDirectory, file)}`);

fail("Parts that could not be measured", failed);
fail("Not every request was accepted", refused);
fail("Goals missed by more than their tolerance", missed);
fail("Slower than the baseline by more than 3 % and more than its spread", lost);

// A part that failed may have left something open.
if (failed.length > 0) process.exit();

async function measure(name, part) {
  if (!isComparison) {
    const measured = await part.measure();
    part.print(measured);
    refused.push(...refusals(name, measured));
    if (flags.strict) missed.push(...(part.missed?.(measured) ?? []));
    return measured;
  }
  const comparison = await compareWithBaseline(part, { baseline, starts });
  printComparison(name, comparison, part.notCompared);
  for (const measured of Object.values(comparison.samples).flat()) refused.push(...refusals(name, measured));
  lost.push(...comparison.figures.filter(({ isLost }) => isLost).map((row) => `  ${name}: ${row.name}`));
  return comparison;
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}

function fail(reason, lines) {
  if (lines.length === 0) return;
  console.error(`\n${reason}:\n${lines.join("\n")}`);
  process.exitCode = 1;
}

/** Every answer but 202: with so few senders none may be refused, and a refusal is quick and would flatter. */
function refusals(part, measured) {
  return [measured].flat().flatMap((row) =>
    Object.entries(row.otherAnswers ?? {}).map(([status, count]) => {
      const name = row.server ?? row.ratePerSecond ?? "";
      return `  ${part} ${name} ${row.spansPerRequest ?? ""}: ${count} answers of status ${status}`;
    }),
  );
}
