/** How long questions take over a full store while spans arrive, and what readers of the live feed cost ingestion. */
import { performance } from "node:perf_hooks";
import { get as httpGet } from "node:http";
import { scrape, startCeiling, startCollector } from "./servers.mjs";
import { median, printTable, quantile } from "./statistics.mjs";

const TRACES = 10_000;
const SPANS_PER_TRACE = 20;
const ROOM = 5_000;
/** What arrives meanwhile, of senders that leave the cores to those who are measured. */
const ARRIVING = { spans: 10, ratePerSecond: 500, connections: 16, sleeps: true };
const LIVE_READERS = 100;
/** Questions that no text has to be read for. */
const INDEXED = [
  "/v1/traces?model=model-3",
  "/v1/traces?agent=agent-7&status=ERROR",
  "/v1/traces?status=ERROR&limit=200",
  "/v1/traces?span_type=retrieval&min_duration_ms=500",
  "/v1/traces?service=nobody",
  "/v1/traces?order=slowest",
  "/v1/traces?order=costliest&env=production&limit=100",
  "/v1/traces?has_evaluation=false&since=2020-01-01T00:00:00Z",
  "/v1/facets",
  "/v1/facets?status=ERROR",
  "/v1/histogram?buckets=120",
];
/** They are asked so often before a text is: a p99 of few samples would be the worst of them. */
const INDEXED_ROUNDS_PER_TEXT = 5;
/** Texts that are nowhere, so that all is looked through; each time another, for answers are remembered. */
const TEXTS = [
  ["plain", (n) => `no such text ${n}`],
  ["beyond ASCII", (n) => `größe ${n}`],
];

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.rounds
 * @param {number} options.secondsPerRound
 * @param {number} options.textLength
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 * @returns {Promise<object[]>}
 */
export async function measureQueries({ generator, rounds, secondsPerRound, textLength, checkout }) {
  const results = [];
  // There is room for some of what arrives meanwhile; then it takes the place of the oldest.
  const collector = await startCollector({
    checkout,
    settings: { LIMITS_MAX_TRACES: String(TRACES + ROOM) },
  });
  const bare = await startCeiling();
  await fill(collector, textLength);
  const order = { port: collector.port, textLength, ...ARRIVING };
  const scrapeMs = await scrapeCost(collector);
  let searches = 0;
  for (const isLoaded of [false, true]) {
    const times = new Map();
    const cpuMs = new Map();
    const arrived = [];
    const asked = async (name, paths, server = collector) => {
      // While spans arrive, most of it would be theirs, and what is asked next would wait for the scrape.
      const isMeasured = server === collector && !isLoaded;
      const before = isMeasured ? await collector.cpuSeconds() : Number.NaN;
      for (const path of paths) {
        times.set(name, [...(times.get(name) ?? []), await timeOf(server.port, path)]);
      }
      const after = isMeasured ? await collector.cpuSeconds() : Number.NaN;
      cpuMs.set(name, [...(cpuMs.get(name) ?? []), ((after - before) * 1000 - scrapeMs) / paths.length]);
    };
    // What the routes need is loaded then, and the traces are added up.
    if (!isLoaded) await asked("indexed, first", INDEXED);
    for (let round = 0; round < rounds; round++) {
      const load = isLoaded ? generator.run({ ...order, seconds: secondsPerRound + 2 }) : undefined;
      const endsAt = performance.now() + secondsPerRound * 1000;
      while (performance.now() < endsAt) {
        for (let again = 0; again < INDEXED_ROUNDS_PER_TEXT; again++) {
          // What a request takes of a process that has nothing else to do, and of the collector where it asks for
          // nothing: the machine, and who else is on it.
          await asked("bare server", ["/", "/"], bare);
          await asked("probe", ["/health", "/health"]);
          await asked("indexed", INDEXED);
        }
        const [name, textOf] = TEXTS[searches % TEXTS.length];
        const text = `/v1/traces?q=${encodeURIComponent(textOf(searches++))}`;
        await asked(`q, ${name}`, [text]);
        await asked("q, again", [text]);
      }
      if (load !== undefined) {
        const { requests, seconds } = await load;
        arrived.push(requests / seconds);
      }
      await collector.settled();
    }
    for (const [question, samples] of times) {
      results.push({
        question,
        arriving: isLoaded ? median(arrived) : 0,
        count: samples.length,
        p50Ms: median(samples),
        p99Ms: quantile(Float64Array.from(samples).sort(), 0.99),
        cpuMs: median(cpuMs.get(question)),
      });
    }
  }
  await bare.stop();
  await collector.stop();
  results.push(await measureReaders({ generator, rounds, secondsPerRound, textLength, checkout }));
  return results;
}

/** @param {Awaited<ReturnType<typeof measureQueries>>} results */
export function printQueries(results) {
  const readers = results.at(-1);
  console.log(`\nQuestions over ${TRACES} traces of ${SPANS_PER_TRACE} spans`);
  printTable(
    ["question", "requests/s", "asked", "p50 ms", "p99 ms", "CPU ms"],
    results
      .slice(0, -1)
      .map((row) => [
        row.question,
        row.arriving.toFixed(0),
        String(row.count),
        row.p50Ms,
        row.p99Ms,
        row.cpuMs,
      ]),
  );
  console.log(`\n${LIVE_READERS} readers of /v1/live`);
  printTable(
    [
      "throughput left",
      "CPU a request, of that without",
      `of a core, at ${ARRIVING.ratePerSecond} requests/s`,
    ],
    [[readers.throughputLeft, readers.cpuPerRequest, readers.coreTakenAtRate]],
  );
}

/** The throughput with readers of the live feed over that without, in turns; and the processor time of a request. */
async function measureReaders({ generator, rounds, secondsPerRound, textLength, checkout }) {
  const collector = await startCollector({ checkout });
  const order = { port: collector.port, spans: ARRIVING.spans, textLength, connections: 32 };
  await generator.run({ ...order, seconds: 1 });
  const shares = { throughput: [], cpuPerRequest: [], cpuAtRate: [] };
  for (let round = 0; round < rounds; round++) {
    const alone = await measured({});
    const stop = await connectReaders(collector.port, LIVE_READERS);
    const read = await measured({});
    const rateRead = await measured({ ratePerSecond: ARRIVING.ratePerSecond });
    stop();
    const rateAlone = await measured({ ratePerSecond: ARRIVING.ratePerSecond });
    shares.throughput.push(read.requests / read.seconds / (alone.requests / alone.seconds));
    shares.cpuPerRequest.push(read.cpuSeconds / read.requests / (alone.cpuSeconds / alone.requests));
    // Of a whole core, what the readers take at a rate that is common.
    shares.cpuAtRate.push((rateRead.cpuSeconds - rateAlone.cpuSeconds) / secondsPerRound);
  }
  await collector.stop();
  return {
    question: `${LIVE_READERS} live readers`,
    throughputLeft: median(shares.throughput),
    cpuPerRequest: median(shares.cpuPerRequest),
    coreTakenAtRate: median(shares.cpuAtRate),
  };

  async function measured(more) {
    const before = await collector.cpuSeconds();
    const result = await generator.run({ ...order, ...more, seconds: secondsPerRound });
    await collector.settled();
    return { ...result, cpuSeconds: (await collector.cpuSeconds()) - before };
  }
}

/** Processor time of asking for the processor time. */
async function scrapeCost(collector) {
  const samples = [];
  for (let index = 0; index < 20; index++) {
    const before = await collector.cpuSeconds();
    samples.push(((await collector.cpuSeconds()) - before) * 1000);
  }
  return median(samples);
}

/** Opens connections that read all they are sent. @returns closes them. */
async function connectReaders(port, count) {
  const requests = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          const request = httpGet({ port, path: "/v1/live", agent: false }, (response) => {
            response.resume();
            resolve(request);
          });
          request.on("error", reject);
        }),
    ),
  );
  return () => {
    for (const request of requests) {
      request.removeAllListeners("error").on("error", () => {});
      request.destroy();
    }
  };
}

async function timeOf(port, path) {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}.`);
  return performance.now() - startedAt;
}

/** Traces that differ in what they can be filtered by, ten spans a batch. */
async function fill(collector, textLength) {
  const words = "the order was shipped from a depot in Lyon and will arrive on Thursday as we said before ";
  const text = words.repeat(Math.ceil(textLength / words.length) + 1).slice(0, textLength);
  const startMs = Date.now() - 3_600_000;
  for (let first = 0; first < TRACES; first += 10) {
    const traces = Array.from({ length: 10 }, (_, index) => first + index);
    for (let half = 0; half < 2; half++) {
      await Promise.all(traces.map((trace) => post(collector.port, trace, half)));
    }
    if (first % 1000 === 0) await collector.settled();
  }
  await collector.settled();
  const held = (await scrape(collector.port))("obs_trace_store_spans");
  if (held !== TRACES * SPANS_PER_TRACE) throw new Error(`The store holds ${held} spans.`);

  async function post(port, trace, half) {
    const spans = Array.from({ length: SPANS_PER_TRACE / 2 }, (_, index) => {
      const number = half * 10 + index;
      const type =
        number === 0 ? "agent" : number % 3 === 0 ? "tool" : number % 7 === 0 ? "retrieval" : "llm";
      return {
        name: number === 0 ? `run ${trace % 40}` : `step ${number}`,
        trace_id: `trace-${trace}`,
        span_id: `${trace}-${number}`,
        ...(number === 0 ? {} : { parent_span_id: `${trace}-0` }),
        span_type: type,
        start_time: startMs + trace * 300 + number * 20,
        duration_ms: 20 + ((trace * 7919) % 900),
        status: number === 0 && trace % 50 === 0 ? "ERROR" : "OK",
        attributes: {
          agent: `agent-${trace % 12}`,
          model: type === "llm" ? `model-${trace % 9}` : undefined,
          tokens_input: 100 + number,
          cost_usd: (trace % 100) / 10_000,
          prompt_text: text,
        },
      };
    });
    const answer = await fetch(`http://127.0.0.1:${port}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        service: `service-${trace % 5}`,
        env: trace % 4 === 0 ? "staging" : "production",
        spans,
      }),
    });
    await answer.arrayBuffer();
    if (answer.status !== 202) throw new Error(`A batch was answered ${answer.status}.`);
  }
}
