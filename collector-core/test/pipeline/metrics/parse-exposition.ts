import type { ExpositionFormat } from "../../../src/pipeline/metrics/exposition.js";

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ParsedSample[];
}

/** Families by the name in the TYPE line. */
export type ParsedExposition = ReadonlyMap<string, ParsedFamily>;

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [""],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count"],
};
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
/** A canonical number of OpenMetrics. */
const BOUND = /^(?:\+Inf|\d+\.\d+|\d(?:\.\d+)?e[+-]\d{2,})$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)$/;

/** Parses an exposition. Throws on anything that a strict scraper rejects, and on NaN. */
export function parseExposition(text: string, format: ExpositionFormat): ParsedExposition {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new Error("the last line does not end");
  if (format === "openmetrics" && lines.pop() !== "# EOF") throw new Error("no # EOF at the end");

  const families = new Map<string, { type: string; help: string; samples: ParsedSample[] }>();
  const seenSeries = new Set<string>();
  let name = "";
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (line.startsWith("# HELP ")) {
      const [, helpName = "", help = ""] = /^# HELP (\S+) (.+)$/.exec(line) ?? fail(line);
      const [, typeName, type = ""] =
        /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(lines[++index] ?? "") ?? fail(line);
      if (typeName !== helpName || families.has(helpName)) fail(line);
      if (
        format === "openmetrics" &&
        (help.includes('"') || (type === "counter" && helpName.endsWith("_total")))
      ) {
        fail(line);
      }
      families.set((name = helpName), { type, help, samples: [] });
      continue;
    }
    const sample = parseSample(line);
    const family = families.get(name) ?? fail(line);
    const suffixes =
      format === "openmetrics" && family.type === "counter" ? ["_total"] : (SUFFIXES[family.type] ?? []);
    if (!suffixes.some((suffix) => sample.name === name + suffix)) fail(line);
    const series = line.slice(0, line.lastIndexOf(" "));
    if (seenSeries.has(series)) fail(line);
    seenSeries.add(series);
    family.samples.push(sample);
  }
  for (const [family, { type, samples }] of families)
    if (type === "histogram") checkHistogram(family, samples);
  return families;
}

function parseSample(line: string): ParsedSample {
  const name = NAME.exec(line)?.[0] ?? fail(line);
  const labels: Record<string, string> = {};
  let at = name.length;
  if (line[at] === "{") {
    do {
      const label = NAME.exec(line.slice(++at))?.[0] ?? fail(line);
      at += label.length;
      if (line[at++] !== "=" || line[at++] !== '"' || label in labels) fail(line);
      let value = "";
      for (; line[at] !== '"'; at++) {
        if (at >= line.length) fail(line);
        if (line[at] === "\\") value += { n: "\n", "\\": "\\", '"': '"' }[line[++at] ?? ""] ?? fail(line);
        else value += line.charAt(at);
      }
      labels[label] = value;
    } while (line[++at] === ",");
    if (line[at++] !== "}") fail(line);
  }
  const value = line.slice(at);
  if (!value.startsWith(" ") || !NUMBER.test(value.slice(1))) fail(line);
  return { name, labels, value: Number(value.replace("Inf", "Infinity")) };
}

/** Checks that bounds ascend, counts are cumulative, and the bucket +Inf equals the count. */
function checkHistogram(name: string, samples: readonly ParsedSample[]): void {
  const bySeries = new Map<string, ParsedSample[]>();
  for (const sample of samples) {
    const labels = JSON.stringify({ ...sample.labels, le: undefined });
    const series = bySeries.get(labels);
    if (series === undefined) bySeries.set(labels, [sample]);
    else series.push(sample);
  }
  for (const [labels, series] of bySeries) {
    const buckets = series.filter((sample) => sample.name === `${name}_bucket`);
    if (!buckets.every(({ labels: { le = "" } }) => BOUND.test(le))) fail(`${name} ${labels}: le`);
    buckets.reduce((before, bucket) => {
      const ascends =
        Number(before.labels["le"]) < Number((bucket.labels["le"] ?? "").replace("+Inf", "Infinity"));
      if (!ascends || bucket.value < before.value) fail(`${name} ${labels}: buckets`);
      return bucket;
    });
    const last = buckets.at(-1);
    const count = series.find((sample) => sample.name === `${name}_count`);
    if (last?.labels["le"] !== "+Inf" || last.value !== count?.value) {
      fail(`${name} ${labels}: +Inf and count`);
    }
    if (!series.some((sample) => sample.name === `${name}_sum`)) fail(`${name} ${labels}: no sum`);
  }
}

function fail(what: string): never {
  throw new Error(`not a valid exposition: ${what}`);
}
