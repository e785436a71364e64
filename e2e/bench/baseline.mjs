/**
 * Compares this checkout with another built one: both are started in turns, and each start gives one sample of every
 * figure. A build settles some percent apart from start to start, which no number of rounds in one process averages out.
 */
import { median, printTable, quantile } from "./statistics.mjs";

/** A loss of the medians up to this is accepted. */
const ACCEPTED_LOSS = 0.03;
/** Starts of each checkout. There are 12,870 ways to halve 16 samples, and more than a hundred million to halve 30. */
export const STARTS = { least: 2, usual: 10, most: 16, quick: 4 };
/** The spread is what this share of all comparisons of the baseline with itself stays within. */
const SPREAD_QUANTILE = 0.95;

/**
 * Runs a part in alternating starts of both checkouts.
 *
 * @param {import("./parts.mjs").Part} part
 * @param {{ baseline: string, starts: number }} options
 * @throws an error that says which checkout cannot be measured.
 */
export async function compareWithBaseline(part, { baseline, starts }) {
  const samples = { this: [], baseline: [] };
  for (let start = 0; start < starts; start++) {
    // Neither checkout is always the first of a pair.
    for (const name of start % 2 === 0 ? ["this", "baseline"] : ["baseline", "this"]) {
      try {
        samples[name].push(await part.measure(name === "baseline" ? baseline : undefined));
      } catch (error) {
        const checkout = name === "baseline" ? "The baseline" : "This checkout";
        throw new Error(`${checkout} cannot be measured. ${error.message}`, { cause: error });
      }
    }
    process.stderr.write(".");
  }
  process.stderr.write("\n");
  const ofStarts = [samples.this.map(part.figures), samples.baseline.map(part.figures)];
  return { figures: judge(...ofStarts), notInBaseline: notInBaseline(...ofStarts), samples };
}

/**
 * Judges every figure that all starts have. One that every start of the baseline has, and not every start of this checkout, is
 * lost.
 *
 * @param {import("./parts.mjs").Figure[][]} changed - of each start.
 * @param {import("./parts.mjs").Figure[][]} baseline
 */
export function judge(changed, baseline) {
  const known = new Map([...baseline, ...changed].flat().map((figure) => [figure.name, figure]));
  return Array.from(known.values(), ({ name, isHigherBetter = false }) => {
    const valuesOf = (starts) =>
      starts.flatMap((figures) =>
        figures
          .filter((figure) => figure.name === name && Number.isFinite(figure.value))
          .map(({ value }) => value),
      );
    const [changedValues, baselineValues] = [valuesOf(changed), valuesOf(baseline)];
    if (baselineValues.length < baseline.length) return [];
    if (changedValues.length < changed.length)
      return [
        {
          name,
          changed: Number.NaN,
          baseline: median(baselineValues),
          loss: Infinity,
          spread: 0,
          isLost: true,
        },
      ];
    const loss = lossOf(median(changedValues), median(baselineValues), isHigherBetter);
    const spread = spreadOf(baselineValues);
    return [
      {
        name,
        changed: median(changedValues),
        baseline: median(baselineValues),
        loss,
        spread,
        isLost: loss > ACCEPTED_LOSS && loss > spread,
      },
    ];
  }).flat();
}

/**
 * The names of figures that not every start of the baseline has: {@link judge} leaves them out.
 *
 * @param {import("./parts.mjs").Figure[][]} changed
 * @param {import("./parts.mjs").Figure[][]} baseline
 */
function notInBaseline(changed, baseline) {
  const judged = new Set(judge(changed, baseline).map(({ name }) => name));
  const names = new Set([...baseline, ...changed].flat().map(({ name }) => name));
  return [...names].filter((name) => !judged.has(name));
}

/** The part by which a value is worse than the baseline's; negative if it is better. */
function lossOf(value, baseline, isHigherBetter) {
  return isHigherBetter ? excess(baseline - value, baseline) : excess(value - baseline, baseline);
}

/** A distance as a part of a value, which is negative where a figure is the difference of two measurements. */
function excess(distance, value) {
  return distance === 0 ? 0 : distance / Math.abs(value);
}

/**
 * How far the medians of two halves of the samples lie apart, over all ways to halve them.
 *
 * @param {readonly number[]} samples
 */
export function spreadOf(samples) {
  const size = Math.floor(samples.length / 2);
  if (size === 0) return 0;
  const distances = halvesOf(samples.length, size).map((half) => {
    const a = median(samples.filter((_, index) => half.has(index)));
    const b = median(samples.filter((_, index) => !half.has(index)));
    return Math.abs(excess(a - b, b));
  });
  return quantile(Float64Array.from(distances).sort(), SPREAD_QUANTILE);
}

/** All sets of `size` indexes below `count`. */
function halvesOf(count, size, from = 0) {
  if (size === 0) return [new Set()];
  const sets = [];
  for (let first = from; first <= count - size; first++) {
    for (const rest of halvesOf(count, size - 1, first + 1)) sets.push(rest.add(first));
  }
  return sets;
}

/**
 * @param {string} title
 * @param {Pick<Awaited<ReturnType<typeof compareWithBaseline>>, "figures" | "notInBaseline">} comparison
 * @param {string} [notCompared]
 */
export function printComparison(title, { figures, notInBaseline: missing }, notCompared) {
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  console.log(`\n${title}, compared with the baseline`);
  printTable(
    ["", "baseline", "this", "loss", "spread", ""],
    figures.map((row) => [
      row.name,
      row.baseline,
      row.changed,
      percent(row.loss),
      percent(row.spread),
      row.isLost ? "LOST" : "",
    ]),
  );
  if (missing.length > 0)
    console.log(`  Not measured by every start of the baseline: ${missing.join(", ")}.`);
  if (notCompared !== undefined) console.log(`  Not compared: ${notCompared}.`);
}
