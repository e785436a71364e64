/**
 * How many requests a second the collector takes, against the ceiling. Both run at the same time and get the load in
 * turns, round by round, so that whatever else the machine does meets them alike.
 */
import { scrape, startCeiling, startCollector } from "./servers.mjs";
import { median, printTable } from "./statistics.mjs";

/** As many senders at once as a busy team has processes. */
export const CONNECTIONS = 32;
/** Spans per request, and per trace. */
const LOADS = [
  [10, 10],
  [100, 10],
];
const FULL_STORE_LOADS = [
  [10, 10],
  [100, 100],
];
const FULL_STORE_SPANS = 1_000_000;
/**
 * Sent to each server before it is measured. Two checkouts are equally warm after as much work, not after as much time: V8 still
 * compiles hot functions of the collector after 100,000 spans over OTLP.
 */
const WARM_UP_SPANS = 300_000;

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.rounds
 * @param {number} options.secondsPerRound
 * @param {number} options.textLength
 * @param {"telemetry" | "otlp"} [options.format] - how the spans come. Default: telemetry.
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 * @param {boolean} [options.isFull] - fills the store with 1,000,000 spans before it measures.
 * @returns {Promise<object[]>}
 */
export async function measureThroughput({
  generator,
  rounds,
  secondsPerRound,
  textLength,
  checkout,
  format = "telemetry",
  isFull = false,
}) {
  const results = [];
  for (const [spans, spansPerTrace] of isFull ? FULL_STORE_LOADS : LOADS) {
    const settings = isFull ? { LIMITS_MAX_TRACES: String(FULL_STORE_SPANS / spansPerTrace) } : {};
    const servers = {
      ceiling: await startCeiling(),
      ...(format === "otlp" ? { library: await startCeiling("library") } : {}),
      collector: await startCollector({ checkout, settings }),
    };
    const samples = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
    const order = { spans, spansPerTrace, textLength, connections: CONNECTIONS, format };
    if (isFull) await fillStore(servers.collector, generator, order);
    for (const { port, settled } of Object.values(servers)) {
      await generator.run({ ...order, port, seconds: 0, requests: WARM_UP_SPANS / spans });
      await settled();
    }
    for (let round = 0; round < rounds; round++) {
      // Every round in another order: who comes first has no advantage.
      const names = Object.keys(servers);
      for (const name of round % 2 === 0 ? names : names.reverse()) {
        samples[name].push(
          await measureRound(servers[name], generator, { ...order, seconds: secondsPerRound }),
        );
      }
    }
    for (const server of Object.values(servers)) await server.stop();
    results.push(
      ...Object.entries(samples).map(([name, taken]) => ({
        spansPerTrace,
        ...summarize(name, spans, taken, samples),
      })),
    );
  }
  return results;
}

/** Sends spans until the store holds {@link FULL_STORE_SPANS} and evicts. */
async function fillStore({ port, settled }, generator, order) {
  const requests = Math.ceil((FULL_STORE_SPANS * 1.05) / order.spans);
  await generator.run({ ...order, port, seconds: 0, requests });
  await settled();
  const stored = (await scrape(port))("obs_trace_store_spans");
  if (stored !== FULL_STORE_SPANS)
    throw new Error(`The store holds ${stored} spans, not ${FULL_STORE_SPANS}.`);
}

/**
 * One round of one server.
 *
 * @param {import("./servers.mjs").MeasuredServer} server
 * @param {import("./load.mjs").LoadGenerator} generator
 * @param {Omit<import("./load-generator.mjs").LoadOrder, "port">} order
 */
export async function measureRound(server, generator, order) {
  const cpuBefore = await server.cpuSeconds();
  const result = await generator.run({ ...order, port: server.port });
  // A request counts as taken when its spans are through the pipeline: a queue that fills would flatter.
  const answeredAtMs = performance.now();
  await server.settled();
  const seconds = result.seconds + (performance.now() - answeredAtMs) / 1000;
  const cpuSeconds = (await server.cpuSeconds()) - cpuBefore;
  return {
    ...result,
    requestsPerSecond: result.requests / seconds,
    cpuMicrosPerRequest: (cpuSeconds / result.requests) * 1e6,
  };
}

function summarize(server, spans, samples, { ceiling, library }) {
  const of = (field) => median(samples.map((sample) => sample[field]));
  const ratiosTo = (other) =>
    samples.map((sample, round) => sample.requestsPerSecond / other[round].requestsPerSecond);
  const ratios = ratiosTo(ceiling);
  const cpuRatios = samples.map(
    (sample, round) => ceiling[round].cpuMicrosPerRequest / sample.cpuMicrosPerRequest,
  );
  return {
    server,
    spansPerRequest: spans,
    bytesPerRequest: samples[0].bytes,
    requestsPerSecond: of("requestsPerSecond"),
    p50Ms: of("p50Ms"),
    p99Ms: of("p99Ms"),
    ratio: median(ratios),
    ratios,
    ...(library === undefined ? {} : { ratioToLibrary: median(ratiosTo(library)) }),
    cpuMicrosPerRequest: of("cpuMicrosPerRequest"),
    cpuRatio: median(cpuRatios),
    generatorCpuShare: of("cpuShare"),
    otherAnswers: sumByStatus(samples),
  };
}

function sumByStatus(samples) {
  const sum = {};
  for (const { otherAnswers } of samples) {
    for (const [status, count] of Object.entries(otherAnswers)) sum[status] = (sum[status] ?? 0) + count;
  }
  return sum;
}

/**
 * @param {Awaited<ReturnType<typeof measureThroughput>>} results
 * @param {{ format?: "telemetry" | "otlp", isFull?: boolean }} [options]
 */
export function printThroughput(results, { format = "telemetry", isFull = false } = {}) {
  const title = format === "otlp" ? "Throughput of OTLP in protobuf" : "Throughput";
  const store = isFull ? `, ${FULL_STORE_SPANS.toLocaleString("en")} spans stored` : "";
  console.log(`\n${title}${store}, each connection sending as fast as it is answered`);
  printTable(
    [
      "",
      "spans",
      "a trace",
      "bytes",
      "req/s",
      "p50 ms",
      "p99 ms",
      "of ceiling",
      ...(format === "otlp" ? ["of library"] : []),
      "CPU µs/req",
      "generator CPU",
    ],
    results.map((row) => [
      row.server,
      String(row.spansPerRequest),
      String(row.spansPerTrace),
      row.bytesPerRequest,
      row.requestsPerSecond,
      row.p50Ms,
      row.p99Ms,
      row.ratio.toFixed(2),
      ...(format === "otlp" ? [row.ratioToLibrary.toFixed(2)] : []),
      row.cpuMicrosPerRequest,
      `${Math.round(row.generatorCpuShare * 100)} %`,
    ]),
  );
}
