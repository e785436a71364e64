/**
 * The cost of the built-in redaction: a collector with and one without it receive the same load in turns, once with texts
 * without anything to redact, and once with a number, a date and an address in each span.
 */
import { startCollector } from "./servers.mjs";
import { median, printTable } from "./statistics.mjs";
import { CONNECTIONS, measureRound } from "./throughput.mjs";

/** The length of text for which the bar of at most a third is set. */
const TEXT_LENGTH = 350;
const SPANS = 10;
const SENSITIVE = "On 2026-11-21 order 20261121-0042 of alice@example.com came: 3 items, $12.50. ";

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.rounds
 * @param {number} options.secondsPerRound
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 * @returns {Promise<object[]>}
 */
export async function measureRedaction({ generator, rounds, secondsPerRound, checkout }) {
  const results = [];
  for (const [texts, textStart] of [
    ["nothing to redact", ""],
    ["an address in each", SENSITIVE],
  ]) {
    const servers = {
      without: await startCollector({ checkout }),
      with: await startCollector({ checkout, settings: { REDACTION_ENABLED: "true" } }),
    };
    const order = { spans: SPANS, textLength: TEXT_LENGTH, textStart, connections: CONNECTIONS };
    const samples = { without: [], with: [] };
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      const names = Object.keys(servers);
      for (const name of round % 2 === 0 ? names : names.reverse()) {
        const sample = await measureRound(servers[name], generator, { ...order, seconds: secondsPerRound });
        if (round > 0) samples[name].push(sample);
      }
    }
    for (const server of Object.values(servers)) await server.stop();
    results.push(summarize(texts, samples));
  }
  return results;
}

function summarize(texts, samples) {
  const ratios = (field) =>
    samples.with.map((sample, round) => sample[field] / samples.without[round][field]);
  return {
    server: texts,
    spansPerRequest: SPANS,
    requestsPerSecondWithout: median(samples.without.map((sample) => sample.requestsPerSecond)),
    requestsPerSecondWith: median(samples.with.map((sample) => sample.requestsPerSecond)),
    cpuMicrosPerRequestWith: median(samples.with.map((sample) => sample.cpuMicrosPerRequest)),
    ratio: median(ratios("requestsPerSecond")),
    ratios: ratios("requestsPerSecond"),
    cpuRatio: 1 / median(ratios("cpuMicrosPerRequest")),
    otherAnswers: Object.assign(
      {},
      ...[...samples.with, ...samples.without].map((each) => each.otherAnswers),
    ),
  };
}

/** @param {Awaited<ReturnType<typeof measureRedaction>>} results */
export function printRedaction(results) {
  console.log(`\nBuilt-in redaction, ${SPANS} spans a request, ${TEXT_LENGTH} characters of text in a span`);
  printTable(
    ["texts", "req/s without", "req/s with", "ratio", "by CPU time"],
    results.map((row) => [
      row.server,
      row.requestsPerSecondWithout,
      row.requestsPerSecondWith,
      row.ratio.toFixed(2),
      row.cpuRatio.toFixed(2),
    ]),
  );
}
