/**
 * The benchmark that docs/performance.md describes.
 *
 * `--quick` shortens every part, `--only <part,…>` runs some of them, `--baseline <directory>` measures the collector of
 * another built checkout in the same rounds, `--text <characters>` sets the text in each span.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { measureColdStart } from "./cold-start.mjs";
import { measureLatency } from "./latency.mjs";
import { LoadGenerator } from "./load.mjs";
import { measureMemory } from "./memory.mjs";
import { measureQueries } from "./queries.mjs";
import { measureScreen } from "./screen.mjs";
import { measureSdk } from "./sdk.mjs";
import { measureRedaction } from "./redaction.mjs";
import { projectDirectory } from "./servers.mjs";
import { DEFAULT_TEXT_LENGTH } from "./span-batches.mjs";
import { measureThroughput } from "./throughput.mjs";

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    baseline: { type: "string" },
    text: { type: "string", default: String(DEFAULT_TEXT_LENGTH) },
  },
});
const textLength = Number(flags.text);
const rounds = flags.quick ? 3 : 5;
const secondsPerRound = flags.quick ? 1 : 3;

const generator = new LoadGenerator();
const timing = { generator, rounds, secondsPerRound, textLength };
const PARTS = {
  throughput: () => measureThroughput({ ...timing, baseline: flags.baseline }),
  otlp: () => measureThroughput({ ...timing, baseline: flags.baseline, format: "otlp" }),
  latency: () => measureLatency(timing),
  redaction: () => measureRedaction({ generator, rounds, secondsPerRound }),
  queries: () => measureQueries(timing),
  memory: () => measureMemory({ generator }),
  screen: () => measureScreen({ seconds: flags.quick ? 10 : 60 }),
  sdk: () => measureSdk({ rounds, spans: flags.quick ? 50_000 : 200_000 }),
  coldStart: () => measureColdStart({ rounds: flags.quick ? 5 : 10 }),
};
const chosen = flags.only?.split(",") ?? Object.keys(PARTS);
const unknown = chosen.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0) {
  console.error(`--only takes ${Object.keys(PARTS).join(", ")}; got ${unknown.join(", ")}.`);
  process.exit(2);
}

const machine = { cores: cpus().length, memoryGb: Math.round(totalmem() / 2 ** 30), node: process.version };
console.log(
  `${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}; medians of ${rounds} rounds`,
);

const results = {};
try {
  for (const part of chosen) results[part] = await PARTS[part]();
} finally {
  generator.stop();
}

const directory = join(projectDirectory, ".cache/bench");
const file = join(directory, `${new Date().toISOString().replaceAll(":", "-")}.json`);
mkdirSync(directory, { recursive: true });
writeFileSync(file, `${JSON.stringify({ machine, rounds, secondsPerRound, ...results }, null, 2)}\n`);
console.log(`\nAll figures: ${relative(projectDirectory, file)}`);

const refused = refusals(results);
if (refused.length > 0) {
  console.error(`\nNot every request was taken:\n${refused.join("\n")}`);
  process.exitCode = 1;
}

/** Responses other than 202. None is expected with so few senders, and fast refusals would flatter the result. */
function refusals(measured) {
  return Object.entries(measured).flatMap(([part, rows]) =>
    [rows].flat().flatMap((row) =>
      Object.entries(row.otherAnswers ?? {}).map(([status, count]) => {
        const name = row.server ?? row.ratePerSecond ?? "";
        return `  ${part} ${name} ${row.spansPerRequest ?? ""}: ${count} answers of status ${status}`;
      }),
    ),
  );
}
