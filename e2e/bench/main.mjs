/**
 * The benchmark: what it measures and how to read it is in docs/performance.md.
 *
 * `--quick` shortens every part, `--only <part,…>` runs some of them, `--full` measures throughput with 1,000,000 spans
 * stored, `--baseline <directory>` compares with another built checkout, `--text <characters>` sets the text in each span,
 * `--spans <number,…>` sets the sizes of the file of traces, `--strict` fails if a goal is missed by more than its tolerance.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compareWithBaseline, printComparison } from "./baseline.mjs";
import { LoadGenerator } from "./load.mjs";
import { createParts } from "./parts.mjs";
import { projectDirectory } from "./servers.mjs";
import { DEFAULT_TEXT_LENGTH } from "./span-batches.mjs";

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    only: { type: "string" },
    baseline: { type: "string" },
    text: { type: "string", default: String(DEFAULT_TEXT_LENGTH) },
    spans: { type: "string", default: "100000" },
    strict: { type: "boolean", default: false },
  },
});
const baseline = flags.baseline === undefined ? undefined : resolve(flags.baseline);
if (baseline !== undefined && !existsSync(join(baseline, "collector-core/dist"))) {
  console.error(`--baseline takes a built checkout; run npm run build in ${baseline}.`);
  process.exit(2);
}
const isComparison = baseline !== undefined;
const starts = flags.quick ? 4 : 10;
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
});
const chosen = flags.only?.split(",") ?? Object.keys(parts);
const unknown = chosen.filter((part) => !Object.hasOwn(parts, part));
if (unknown.length > 0) {
  console.error(`--only takes ${Object.keys(parts).join(", ")}; got ${unknown.join(", ")}.`);
  process.exit(2);
}

const machine = { cores: cpus().length, memoryGb: Math.round(totalmem() / 2 ** 30), node: process.version };
const repetition = isComparison
  ? `medians of ${starts} alternating starts of each checkout`
  : `medians of ${rounds} rounds`;
console.log(`${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}; ${repetition}`);

const results = {};
const refused = [];
const lost = [];
const missed = [];
try {
  for (const name of chosen) {
    const part = parts[name];
    if (baseline === undefined) {
      results[name] = await part.measure();
      part.print(results[name]);
      refused.push(...refusals(name, results[name]));
      if (flags.strict) missed.push(...(part.missed?.(results[name]) ?? []));
    } else {
      const comparison = await compareWithBaseline(part, { baseline, starts });
      results[name] = comparison;
      printComparison(name, comparison.figures, part.notCompared);
      for (const measured of Object.values(comparison.samples).flat())
        refused.push(...refusals(name, measured));
      lost.push(...comparison.figures.filter(({ isLost }) => isLost).map((row) => `  ${name}: ${row.name}`));
    }
  }
} finally {
  generator.stop();
}

const directory = join(projectDirectory, ".cache/bench");
const file = join(directory, `${new Date().toISOString().replaceAll(":", "-")}.json`);
mkdirSync(directory, { recursive: true });
writeFileSync(file, `${JSON.stringify({ machine, rounds, secondsPerRound, ...results }, null, 2)}\n`);
console.log(`\nAll figures: ${relative(projectDirectory, file)}`);

fail("Not every request was accepted", refused);
fail("Goals missed by more than their tolerance", missed);
fail("Slower than the baseline by more than 3 % and more than its spread", lost);

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
