/**
 * The parts of the benchmark. Each measures one checkout, prints its results, and names the figures that two checkouts are
 * compared by.
 */
import { clusterFigures, measureCluster, missedOfCluster, printCluster } from "./cluster.mjs";
import { measureColdStart, printColdStart } from "./cold-start.mjs";
import { measureDesktop, missedOfDesktop, printDesktop } from "./desktop.mjs";
import { diskFigures, measureDisk, missedGoals, printDisk } from "./disk.mjs";
import { measureLatency, printLatency } from "./latency.mjs";
import { measureMemory, printMemory } from "./memory.mjs";
import { measureQueries, printQueries } from "./queries.mjs";
import { measureRedaction, printRedaction } from "./redaction.mjs";
import { measureScreen, missedOfScreen, printScreen } from "./screen.mjs";
import { measureSdk, missedOfSdk, printSdk } from "./sdk.mjs";
import { measureThroughput, printThroughput } from "./throughput.mjs";
import { measureUi, missedOfUi, printUi } from "./ui.mjs";

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {number} value
 * @property {boolean} [isHigherBetter] - Default: lower is better.
 *
 * @typedef {object} Part
 * @property {(checkout?: string) => Promise<object>} measure - the results of one checkout; without one, of this.
 * @property {(results: object) => void} print
 * @property {(results: object) => Figure[]} figures - what is compared with a baseline.
 * @property {string} [notCompared] - what a comparison leaves out, and why.
 * @property {(results: object) => string[]} [missed] - the goals that are missed, a line each.
 */

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.rounds
 * @param {number} options.secondsPerRound
 * @param {number} options.textLength
 * @param {boolean} options.isQuick
 * @param {boolean} options.isFull - measures throughput with a full store.
 * @param {readonly number[]} options.diskSizes - spans in the file of traces; the first also in ClickHouse.
 * @param {number} options.clusterRate - requests a second at which shapes of several collectors are compared.
 * @param {boolean} options.isComparison - leaves out what cannot be compared with another checkout.
 * @returns {Record<string, Part>}
 */
export function createParts({ isQuick, isFull, isComparison, diskSizes, clusterRate, ...timing }) {
  const { generator, rounds, secondsPerRound } = timing;
  const screenSeconds = isQuick || isComparison ? 10 : 60;
  const throughput = (format) => ({
    measure: (checkout) => measureThroughput({ ...timing, checkout, format, isFull }),
    print: (results) => printThroughput(results, { format, isFull }),
    figures: throughputFigures,
    notCompared:
      "requests/s by themselves: they say as much about the machine; they are compared as a ratio to the ceiling",
  });
  return {
    throughput: throughput("telemetry"),
    otlp: throughput("otlp"),
    latency: {
      measure: (checkout) => measureLatency({ ...timing, checkout }),
      print: printLatency,
      figures: (rows) =>
        rows.flatMap(({ ratePerSecond, p50Ms, p99Ms }) => [
          { name: `p50 ms at ${ratePerSecond} req/s`, value: p50Ms },
          { name: `p99 ms at ${ratePerSecond} req/s`, value: p99Ms },
        ]),
    },
    redaction: {
      measure: (checkout) => measureRedaction({ generator, rounds, secondsPerRound, checkout }),
      print: printRedaction,
      figures: (rows) =>
        rows.map((row) => ({ name: `CPU µs/req, ${row.server}`, value: row.cpuMicrosPerRequestWith })),
      notCompared:
        "the libraries of redaction-libraries.mjs: they are third-party products, the same beside any checkout",
    },
    queries: {
      measure: (checkout) => measureQueries({ ...timing, checkout }),
      print: printQueries,
      figures: queryFigures,
      notCompared:
        "the bare server, which belongs to no checkout; p99, which is the worst of few samples; " +
        "the share of a core that readers take, a difference of few samples",
    },
    memory: {
      measure: (checkout) => measureMemory({ generator, checkout }),
      print: printMemory,
      figures: ({ offHeapBytes, rssBytes, heapUsedMb }) => [
        { name: "bytes off the heap, a span", value: offHeapBytes },
        { name: "resident bytes, a span", value: rssBytes },
        { name: "heap MB", value: heapUsedMb },
      ],
    },
    disk: {
      measure: (checkout) => measureDisk({ ...timing, sizes: diskSizes, checkout }),
      print: printDisk,
      figures: diskFigures,
      missed: missedGoals,
    },
    cluster: {
      measure: (checkout) =>
        measureCluster({ ...timing, storedSpans: diskSizes[0], rate: clusterRate, checkout }),
      print: printCluster,
      figures: clusterFigures,
      notCompared: "batches a second and p50: they say as much about the machine",
      missed: missedOfCluster,
    },
    screen: {
      measure: (checkout) => measureScreen({ seconds: screenSeconds, checkout }),
      print: (results) => printScreen(results, screenSeconds),
      missed: missedOfScreen,
      figures: (rows) =>
        rows.flatMap(({ mode, busyMs, elapsedMs, heapMb }) => [
          { name: `CPU %, ${mode}`, value: (busyMs / elapsedMs) * 100 },
          { name: `heap MB, ${mode}`, value: heapMb },
        ]),
      notCompared: "the longest task, and counts of long tasks: one disturbance of the machine decides them",
    },
    ui: {
      measure: (checkout) => measureUi({ rounds: isComparison ? 1 : rounds, checkout }),
      print: printUi,
      missed: missedOfUi,
      figures: ({ parts, scriptsKb }) => [
        ...parts.map(({ name, cpuMs }) => ({ name: `CPU ms, ${name}`, value: cpuMs })),
        { name: "kB of scripts before the first page", value: scriptsKb },
      ],
      notCompared: "milliseconds by the clock: they say as much about what else the machine does",
    },
    desktop: {
      measure: (checkout) =>
        measureDesktop({ generator, seconds: isQuick ? 5 : 20, textLength: timing.textLength, checkout }),
      print: printDesktop,
      missed: missedOfDesktop,
      figures: ({ idleRssMb, loadedRssMb, loadCpuPct }) => [
        { name: "resident MB, idle", value: idleRssMb },
        { name: "resident MB, after the load", value: loadedRssMb },
        { name: "CPU % under load", value: loadCpuPct },
      ],
      notCompared: "delays by the clock: they say as much about what else the machine does",
    },
    sdk: {
      measure: (checkout) =>
        measureSdk({
          // Each round takes over a minute: the libraries take turns within it.
          rounds: Math.min(rounds, 3),
          spans: 50_000,
          checkout,
          isAlone: isComparison,
          isQuick,
        }),
      print: printSdk,
      missed: missedOfSdk,
      figures: ({ rows, bars }) => [
        ...rows.flatMap(({ library, createMicros, wholeMicros, cpuMicros }) => [
          { name: `create µs, ${library}`, value: createMicros },
          { name: `CPU µs, whole process, ${library}`, value: wholeMicros },
          { name: `CPU µs, in bursts, ${library}`, value: cpuMicros },
        ]),
        // All rows of the SDK import the same.
        ...rows.slice(0, 1).map(({ importMs }) => ({ name: "import ms", value: importMs })),
        { name: "CPU ms at the start, register", value: bars.registerMs },
        ...bars.libraries.flatMap((row) => [
          { name: `µs, async call without attributes, ${row.library}`, value: row.emptyMicros },
          { name: `µs, async call, ${row.library}`, value: row.inSpanMicros },
          { name: `µs, recorded call, ${row.library}`, value: row.recordedMicros },
          { name: `CPU µs, at 5,000 spans/s, ${row.library}`, value: row.steadyCpuMicros },
        ]),
      ],
      notCompared:
        "OpenTelemetry, Langfuse and Laminar, third-party products, and the floor: they are the same beside any checkout; " +
        "the delay of the event loop, which is the worst of few samples",
    },
    coldStart: {
      measure: (checkout) => measureColdStart({ rounds: isQuick ? 5 : Math.max(rounds, 10), checkout }),
      print: printColdStart,
      figures: ({ readyMs }) => [{ name: "ms to /ready", value: readyMs }],
    },
  };
}

/** @returns {Figure[]} */
function throughputFigures(rows) {
  return rows
    .filter(({ server }) => server === "collector")
    .flatMap(({ spansPerRequest, ratio, cpuMicrosPerRequest }) => [
      { name: `of the ceiling, ${spansPerRequest} spans`, value: ratio, isHigherBetter: true },
      { name: `CPU µs/req, ${spansPerRequest} spans`, value: cpuMicrosPerRequest },
    ]);
}

/** @returns {Figure[]} */
function queryFigures(rows) {
  const { question: readers, throughputLeft, cpuPerRequest } = rows.at(-1);
  const figures = rows.slice(0, -1).flatMap(({ question, arriving, p50Ms, cpuMs }) => {
    if (question === "bare server") return [];
    const load = arriving > 0 ? ", under load" : "";
    return [
      { name: `p50 ms, ${question}${load}`, value: p50Ms },
      // Not measured under load.
      ...(load === "" ? [{ name: `CPU ms, ${question}`, value: cpuMs }] : []),
    ];
  });
  return [
    ...figures,
    { name: `throughput left, ${readers}`, value: throughputLeft, isHigherBetter: true },
    { name: `CPU a request, ${readers}`, value: cpuPerRequest },
  ];
}
