/**
 * `node scripts/judge-agreement.mjs [type …]`: measures how often the configured judge agrees with the labelled sets of
 * e2e/judges. Needs the build, and the key of the provider.
 */
import { readdirSync, readFileSync } from "node:fs";
import { loadConfig } from "../collector-core/dist/config/load-config.js";
import { createTypeRegistry } from "../collector-core/dist/evaluation/types/type-registry.js";
import { systemClock } from "../collector-core/dist/runtime/clock.js";
import { createConfiguredJudge } from "../collector-core/dist/assembly/configured-judge.js";

const LEAST_AGREEMENT = 0.8;
const folder = new URL("../e2e/judges/labelled/", import.meta.url);

const result = loadConfig({ env: { ...process.env, OBS_SERVER_EVALUATION_ENABLED: "true" } });
if (result.type === "refused") {
  console.error(result.problems.join("\n"));
  process.exit(2);
}
const { config } = result.loaded;
const judge = await createConfiguredJudge(config);
const types = createTypeRegistry({
  customTypes: config["evaluation.types"],
  findPersonalData: () => new Map(),
  redactText: (text) => text,
  clock: systemClock,
});

const known = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));
const asked = process.argv.length > 2 ? process.argv.slice(2) : known;
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No labelled set for ${unknown.join(", ")}. Available: ${known.join(", ")}.`);
  process.exit(2);
}

console.log(`${judge.provider}, ${judge.model}`);
const totals = { cases: 0, agreed: 0, costUsd: 0 };
for (const name of asked) await judgeSet(name);
const share = totals.agreed / totals.cases;
console.log(
  `\n${totals.agreed} of ${totals.cases} agree (${Math.round(share * 100)} %), for $${totals.costUsd.toFixed(4)}`,
);
process.exit(share < LEAST_AGREEMENT ? 1 : 0);

/** Judges the cases of a set in parallel. */
async function judgeSet(name) {
  const cases = JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
  const type = types.find(name);
  const answers = await Promise.all(
    cases.map(({ text }) =>
      judge
        .score(type, text, AbortSignal.timeout(config["evaluation.default_timeout_ms"]))
        .catch((error) => ({
          type: "error",
          reason: String(error),
          usage: {},
        })),
    ),
  );
  const misses = [];
  let agreed = 0;
  for (const [index, answer] of answers.entries()) {
    const [from, to] = cases[index].expected;
    totals.costUsd += answer.usage.costUsd ?? 0;
    const score = answer.type === "completed" ? answer.verdict.score : undefined;
    if (score !== undefined && score >= from && score <= to) agreed++;
    else {
      const said =
        answer.type === "completed" ? answer.verdict.explanation : `${answer.type}: ${answer.reason}`;
      misses.push(`  case ${index + 1}: ${score ?? "no score"}, expected ${from} to ${to}. ${said ?? ""}`);
    }
  }
  totals.cases += cases.length;
  totals.agreed += agreed;
  console.log(`${name.padEnd(22)} ${agreed}/${cases.length}`);
  for (const miss of misses) console.log(miss);
}
