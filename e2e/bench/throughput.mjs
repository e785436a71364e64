/**
 * Requests a second of the collector, compared with the ceiling. Both run at the same time and receive the load in turns,
 * round by round, so that other work on the machine affects them equally.
 */
import { startCeiling, startCollector } from "./servers.mjs";
import { median, printTable } from "./statistics.mjs";

/** Concurrent senders, like the processes of a busy team. */
export const CONNECTIONS = 32;

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.rounds
 * @param {number} options.secondsPerRound
 * @param {number} options.textLength
 * @param {"telemetry" | "otlp"} [options.format] - the format of the spans. Default: telemetry.
 * @param {string | undefined} options.baseline - another built checkout, measured beside this one.
 * @returns {Promise<object[]>}
 */
export async function measureThroughput({
  generator,
  rounds,
  secondsPerRound,
  textLength,
  baseline,
  format = "telemetry",
}) {
  const results = [];
  for (const spans of [10, 100]) {
    const servers = {
      ceiling: await startCeiling(),
      ...(format === "otlp" ? { library: await startCeiling("library") } : {}),
      collector: await startCollector(),
      ...(baseline === undefined ? {} : { baseline: await startCollector({ checkout: baseline }) }),
    };
    const samples = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
    const order = { spans, textLength, connections: CONNECTIONS, format };
    for (const { port, settled } of Object.values(servers)) {
      await generator.run({ ...order, port, seconds: secondsPerRound });
      await settled();
    }
    for (let round = 0; round < rounds; round++) {
      // Every round in another order, so that the first has no advantage.
      const names = Object.keys(servers);
      for (const name of round % 2 === 0 ? names : names.reverse()) {
        samples[name].push(
          await measureRound(servers[name], generator, { ...order, seconds: secondsPerRound }),
        );
      }
    }
    for (const server of Object.values(servers)) await server.stop();
    results.push(...Object.entries(samples).map(([name, taken]) => summarize(name, spans, taken, samples)));
  }
  print(results, format);
  return results;
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
  // A request counts when its spans have passed the pipeline; counting accepted requests would flatter a filling queue.
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

function print(results, format) {
  console.log(
    `\nThroughput${format === "otlp" ? " of OTLP in protobuf" : ""}, each connection sending as fast as it is answered`,
  );
  printTable(
    [
      "",
      "spans",
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
