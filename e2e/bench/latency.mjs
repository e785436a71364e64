/** The latency of requests at a moderate rate. */
import { scrape, startCollector } from "./servers.mjs";
import { median, printTable } from "./statistics.mjs";

const RATES = [500, 1000, 2000];
const SPANS = 10;
/** Enough connections that a request waits for one only if the collector stalls. */
const CONNECTIONS = 64;

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.rounds
 * @param {number} options.secondsPerRound
 * @param {number} options.textLength
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 * @returns {Promise<object[]>}
 */
export async function measureLatency({ generator, rounds, secondsPerRound, textLength, checkout }) {
  const collector = await startCollector({ checkout });
  const order = { port: collector.port, spans: SPANS, textLength, connections: CONNECTIONS };
  await generator.run({ ...order, seconds: secondsPerRound, ratePerSecond: RATES.at(-1) });
  const samples = RATES.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, ratePerSecond] of RATES.entries()) {
      const result = await generator.run({ ...order, seconds: secondsPerRound, ratePerSecond });
      const rssBytes = (await scrape(collector.port))("process_resident_memory_bytes");
      samples[index].push({ ...result, rssMb: rssBytes / 1e6 });
    }
  }
  await collector.stop();

  return RATES.map((ratePerSecond, index) => {
    const of = (field) => median(samples[index].map((sample) => sample[field]));
    const otherAnswers = Object.assign({}, ...samples[index].map((sample) => sample.otherAnswers));
    return { ratePerSecond, p50Ms: of("p50Ms"), p99Ms: of("p99Ms"), rssMb: of("rssMb"), otherAnswers };
  });
}

/** @param {Awaited<ReturnType<typeof measureLatency>>} results */
export function printLatency(results) {
  console.log(`\nLatency at a fixed rate, ${SPANS} spans a request`);
  printTable(
    ["req/s", "p50 ms", "p99 ms", "RSS MB"],
    results.map((row) => [String(row.ratePerSecond), row.p50Ms, row.p99Ms, row.rssMb]),
  );
}
