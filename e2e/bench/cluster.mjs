/**
 * What a queue in Redis costs beside the queue in memory, what one to three collectors on it cost, what a span costs in each shape
 * of docs/guide/run-on-a-server.md, and how long questions to ClickHouse take. What needs ClickHouse is left out where chDB cannot be had.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingClickHouse, startClickHouse } from "./clickhouse.mjs";
import { judge } from "./disk-goals.mjs";
import { startRedis } from "./redis.mjs";
import { scrape, startCollector } from "./servers.mjs";
import { median, printTable, quantile, show } from "./statistics.mjs";
import { CONNECTIONS, measureRound } from "./throughput.mjs";

/** Spans a batch. */
const SIZES = [10, 100];
const REPLICAS = [1, 2, 3];
const LATENCY_RATE = 1000;
/** Before the first round: less runs in code that is not yet compiled. */
const WARM_UP_REQUESTS = 10_000;
/** Nothing is refused while a queue fills faster than it is processed. */
const LARGE_QUEUE = { LIMITS_MAX_QUEUE_SIZE: "1000000", LIMITS_MAX_QUEUE_BYTES: "1000000000" };
const ARRIVES_WITHIN_MS = 60_000;
/** Spans that a sender of ClickHouse's store sends together until it has as many as were asked for. */
const FILL_SPANS = 100;
/** How long ClickHouse gets spans before their cost is counted: it merges what it has of many seconds. */
const MERGED_SECONDS = 20;
const ASKED = 15;
/** Questions to the store, with a name for each. `n` makes a text that nobody has asked for. */
const QUESTIONS = [
  ["list", () => "/v1/traces?limit=50"],
  ["next page of it", (n, { cursor }) => `/v1/traces?limit=50&cursor=${encodeURIComponent(cursor)}`],
  ["list of a model", () => "/v1/traces?limit=50&model=gpt-5-mini"],
  ["facets", () => "/v1/facets"],
  ["one trace", (n, { id }) => `/v1/traces/${id}`],
  ["q, in every span", () => "/v1/traces?limit=50&q=shipped"],
  ["q, nowhere", (n) => `/v1/traces?limit=50&q=${encodeURIComponent(`no such text ${n}`)}`],
  ["figures of an hour", () => "/v1/stats?window=1h&group_by=model"],
];

/** @type {readonly import("./disk-goals.mjs").Goal[]} */
const GOALS = [
  {
    name: "batches of ten spans in a second of Redis' CPU",
    figure: "batchesPerRedisSecond",
    unit: "",
    limit: 10_000,
    isLowest: true,
    tolerance: 0.1,
  },
  {
    name: `p99 of ingestion at ${LATENCY_RATE} requests/s`,
    figure: "p99Ms",
    beside: "memoryP99Ms",
    unit: "ms",
    limit: 15,
    tolerance: 0.5,
  },
];
/** @type {readonly import("./disk-goals.mjs").Goal[]} */
const CLICKHOUSE_GOALS = [
  {
    name: "ClickHouse, CPU a span, without the text index",
    figure: "withoutIndexMicros",
    unit: "µs",
    limit: 25,
    tolerance: 0.2,
  },
  {
    name: "ClickHouse, CPU a span, with the text index",
    figure: "clickHouseMicros",
    unit: "µs",
    limit: 60,
    tolerance: 0.2,
  },
  { name: "list, p95", figure: "listMs", unit: "ms", limit: 150, tolerance: 0.5 },
  { name: "facets, p95", figure: "facetsMs", unit: "ms", limit: 1000, tolerance: 0.5 },
  { name: "one trace, p95", figure: "oneTraceMs", unit: "ms", limit: 20, tolerance: 0.5 },
  { name: "from 202 to visible, p95", figure: "visibleMs", unit: "ms", limit: 2000, tolerance: 0.5 },
];

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.rounds
 * @param {number} options.secondsPerRound
 * @param {number} options.textLength
 * @param {number} options.storedSpans - spans in ClickHouse while it is asked.
 * @param {number} options.rate - requests a second of ten spans at which replicas and shapes are compared.
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 */
export async function measureCluster(options) {
  const admissions = await measureAdmissions(options);
  const latency = await measureLatencies(options);
  const replicas = [];
  for (const count of [0, ...REPLICAS]) replicas.push(await measureReplicas(options, count));
  const shapes = [await measureFile(options), await measureLight(options), await measureQueue(options)];
  const missing = missingClickHouse();
  const clickHouse = missing === undefined ? await measureClickHouse(options) : undefined;
  if (clickHouse !== undefined) shapes.push(...clickHouse.shapes);
  const ofTen = admissions.find(({ queue, spansPerRequest }) => queue === "Redis" && spansPerRequest === 10);
  const figures = {
    batchesPerRedisSecond: 1e6 / ofTen.redisMicros,
    ...latency.figures,
    ...clickHouse?.figures,
  };
  const otherAnswers = sumOf([...admissions, latency, ...replicas, ...shapes].map((row) => row.otherAnswers));
  return { rate: options.rate, figures, admissions, replicas, shapes, clickHouse, missing, otherAnswers };
}

/** Senders that send as fast as they are answered, to a collector with its queue in memory and to one with it in Redis, in turns. */
async function measureAdmissions({ generator, rounds, secondsPerRound, textLength, checkout }) {
  const redis = await startRedis();
  const servers = {
    memory: await startCollector({ checkout, settings: LARGE_QUEUE }),
    Redis: await startOn(redis, { checkout, settings: LARGE_QUEUE }),
  };
  const rows = [];
  for (const spans of SIZES) {
    const order = { spans, textLength, connections: CONNECTIONS };
    const samples = { memory: [], Redis: [] };
    for (let round = 0; round <= rounds; round++) {
      for (const queue of round % 2 === 0 ? ["memory", "Redis"] : ["Redis", "memory"]) {
        const load =
          round === 0
            ? { seconds: 0, requests: WARM_UP_REQUESTS / (spans / 10) }
            : { seconds: secondsPerRound };
        const redisBefore = await redis.cpuSeconds();
        const sample = await measureRound(servers[queue], generator, { ...order, ...load });
        const redisMicros = (((await redis.cpuSeconds()) - redisBefore) / sample.requests) * 1e6;
        if (round > 0) samples[queue].push({ ...sample, redisMicros });
      }
    }
    for (const [queue, taken] of Object.entries(samples)) {
      const of = (field) => median(taken.map((sample) => sample[field]));
      rows.push({
        queue,
        spansPerRequest: spans,
        requestsPerSecond: of("requestsPerSecond"),
        p50Ms: of("p50Ms"),
        p99Ms: of("p99Ms"),
        collectorMicros: of("cpuMicrosPerRequest"),
        redisMicros: queue === "Redis" ? of("redisMicros") : 0,
        otherAnswers: sumOf(taken.map((sample) => sample.otherAnswers)),
      });
    }
  }
  for (const server of [...Object.values(servers), redis]) await server.stop();
  return rows;
}

async function measureLatencies({ generator, rounds, secondsPerRound, textLength, checkout }) {
  const redis = await startRedis();
  const servers = {
    memory: await startCollector({ checkout }),
    Redis: await startOn(redis, { checkout }),
  };
  const order = { spans: 10, textLength, connections: 64, seconds: secondsPerRound };
  const p99 = { memory: [], Redis: [] };
  const p50 = { memory: [], Redis: [] };
  const answers = [];
  for (let round = 0; round <= rounds; round++) {
    for (const queue of round % 2 === 0 ? ["memory", "Redis"] : ["Redis", "memory"]) {
      const { port } = servers[queue];
      const load = round === 0 ? { seconds: 0, requests: WARM_UP_REQUESTS } : { ratePerSecond: LATENCY_RATE };
      const result = await generator.run({ ...order, ...load, port });
      answers.push(result.otherAnswers);
      if (round === 0) continue;
      p50[queue].push(result.p50Ms);
      p99[queue].push(result.p99Ms);
    }
  }
  for (const server of [...Object.values(servers), redis]) await server.stop();
  return {
    figures: {
      p50Ms: median(p50.Redis),
      p99Ms: median(p99.Redis),
      memoryP50Ms: median(p50.memory),
      memoryP99Ms: median(p99.memory),
    },
    otherAnswers: sumOf(answers),
  };
}

/** Collectors on one Redis at a fixed load, which they get in equal parts. Without one: a collector with its queue in memory. */
async function measureReplicas({ checkout, ...options }, count) {
  if (count === 0) {
    const server = await startCollector({ checkout });
    const row = await measureCost(options, { senders: [server], settled: server.settled });
    await server.stop();
    return { replicas: 0, ...row };
  }
  const redis = await startRedis();
  const senders = [];
  for (let replica = 0; replica < count; replica++) senders.push(await startOn(redis, { checkout }));
  const row = await measureCost(options, { senders, redis, settled: redis.settled });
  for (const server of [...senders, redis]) await server.stop();
  return { replicas: count, ...row };
}

/** One process with a file. */
async function measureFile({ checkout, ...options }) {
  return await withDirectory(async (directory) => {
    const server = await startCollector({ checkout, settings: { TRACE_STORE_PATH: directory } });
    const row = await measureCost(options, { senders: [server], settled: () => written(server) });
    const fileBytes = await bytesASpan(server, directory);
    await server.stop();
    return { shape: "one process with a file", ...row, fileBytes };
  });
}

/** Two collectors without a store that send on, to one with a file. */
async function measureLight({ checkout, ...options }) {
  return await withDirectory(async (directory) => {
    const receiver = await startCollector({ checkout, settings: { TRACE_STORE_PATH: directory } });
    const settings = {
      TRACE_STORE_ENABLED: "false",
      EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.port}`,
      EXPORTER_FLUSH_INTERVAL: "1",
      EXPORTER_MAX_QUEUE_SIZE: "1000000",
    };
    const senders = [
      await startCollector({ checkout, settings }),
      await startCollector({ checkout, settings }),
    ];
    const processed = async (server) => (await scrape(server.port))("obs_spans_processed_total");
    const settled = async () => {
      for (const server of senders) await server.settled();
      const sent = (await processed(senders[0])) + (await processed(senders[1]));
      const deadlineMs = performance.now() + ARRIVES_WITHIN_MS;
      while ((await processed(receiver)) < sent) {
        if (performance.now() > deadlineMs) throw new Error("Spans that were sent on did not arrive.");
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await written(receiver);
    };
    const row = await measureCost(options, { senders, receiver, settled });
    const fileBytes = await bytesASpan(receiver, directory);
    for (const server of [...senders, receiver]) await server.stop();
    return { shape: "two light collectors, one with a file", ...row, fileBytes };
  });
}

/** A collector with a file whose batches wait in Redis. */
async function measureQueue({ checkout, ...options }) {
  return await withDirectory(async (directory) => {
    const redis = await startRedis();
    const server = await startOn(redis, { checkout, settings: { TRACE_STORE_PATH: directory } });
    const row = await measureCost(options, { senders: [server], redis, settled: redis.settled });
    const fileBytes = await bytesASpan(server, directory);
    const spans = (await scrape(server.port))("obs_spans_processed_total");
    const queueBytes = (await redis.fileBytes()) / spans;
    for (const each of [server, redis]) await each.stop();
    return { shape: "queue in Redis, a file", ...row, fileBytes, queueBytes };
  });
}

/**
 * Two collectors that share Redis and ClickHouse: the cost of a span without the index of texts and with it, then questions to one of them
 * over more spans.
 */
async function measureClickHouse({ checkout, storedSpans, ...options }) {
  const { rounds, secondsPerRound } = options;
  const long = { ...options, rounds: 1, secondsPerRound: Math.max(MERGED_SECONDS, rounds * secondsPerRound) };
  const bare = await startShared(checkout, "none");
  const withoutIndex = await measureCost(long, bare);
  const bareBytes = await storedBytes(bare);
  await bare.stop();

  const shared = await startShared(checkout, "ngrams");
  const row = await measureCost(long, shared);
  const visibleMs = await timesUntilVisible(shared.ports);
  const spans = await fill(shared, storedSpans, options);
  const questions = await askAll(shared);
  const fileBytes = await storedBytes(shared, spans);
  await shared.stop();
  const of = (name) => questions.find((question) => question.name === name).p95Ms;
  return {
    shapes: [
      { shape: "two on Redis and ClickHouse, no text index", ...withoutIndex, fileBytes: bareBytes },
      { shape: "two collectors on Redis and ClickHouse", ...row, fileBytes },
    ],
    spans,
    questions,
    figures: {
      withoutIndexMicros: withoutIndex.clickHouseMicros / 10,
      clickHouseMicros: row.clickHouseMicros / 10,
      listMs: of("list"),
      facetsMs: of("facets"),
      oneTraceMs: of("one trace"),
      visibleMs,
    },
  };
}

async function startShared(checkout, textIndex) {
  const redis = await startRedis();
  const clickHouse = await startClickHouse();
  const settings = {
    ...LARGE_QUEUE,
    TRACE_STORE_URL: clickHouse.url,
    TRACE_STORE_TEXT_INDEX: textIndex,
  };
  const senders = [
    await startOn(redis, { checkout, settings }),
    await startOn(redis, { checkout, settings }),
  ];
  return {
    ...{ senders, redis, clickHouse, ports: senders.map(({ port }) => port) },
    async settled() {
      await redis.settled();
      await clickHouse.quiet();
    },
    async stop() {
      for (const each of [...senders, clickHouse, redis]) await each.stop();
    },
  };
}

/** @returns the spans in the store, at least as many as were asked for. */
async function fill({ ports, settled }, wanted, { generator, textLength }) {
  const stored = await countedSpans(ports[0]);
  const requests = Math.ceil((wanted - stored) / FILL_SPANS);
  if (requests <= 0) return stored;
  const order = { spans: FILL_SPANS, textLength, connections: CONNECTIONS, port: 0, ports };
  await generator.run({ ...order, seconds: 0, requests });
  await settled();
  return await countedSpans(ports[0], stored + requests * FILL_SPANS);
}

async function storedBytes({ ports: [port] }, least) {
  const spans = await countedSpans(port, least);
  return (await scrape(port))("obs_trace_store_disk_bytes") / spans;
}

/** The spans in the store once they have been counted, which is done every 15 seconds. */
async function countedSpans(port, least = 1) {
  const deadlineMs = performance.now() + ARRIVES_WITHIN_MS;
  for (;;) {
    const spans = (await scrape(port))("obs_trace_store_spans");
    if (spans >= least) return spans;
    if (performance.now() > deadlineMs) throw new Error(`ClickHouse has ${spans} of ${least} spans.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** From the answer to a batch at one collector until the other one shows its trace, at the 95th percentile. */
async function timesUntilVisible([first, second]) {
  const times = [];
  for (let round = 0; round < ASKED; round++) {
    const trace_id = `visible-${round}`;
    await fetch(`http://127.0.0.1:${first}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ spans: [{ name: "chat", trace_id, span_id: "s", duration_ms: 1 }] }),
    });
    const sentMs = performance.now();
    while ((await fetch(`http://127.0.0.1:${second}/v1/traces/${trace_id}`)).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 5));
    times.push(performance.now() - sentMs);
  }
  return quantile(Float64Array.from(times).sort(), 0.95);
}

async function askAll({ ports: [port], clickHouse }) {
  const get = async (path) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    const body = await answer.json();
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}.`);
    return body;
  };
  const page = await get("/v1/traces?limit=50");
  const known = { cursor: page.next_cursor, id: page.traces[0].trace_id };
  const rows = [];
  for (const [name, pathOf] of QUESTIONS) {
    await get(pathOf(0, known));
    const times = [];
    const before = await clickHouse.cpuSeconds();
    for (let n = 1; n <= ASKED; n++) {
      const startMs = performance.now();
      await get(pathOf(n, known));
      times.push(performance.now() - startMs);
    }
    const clickHouseMs = (((await clickHouse.cpuSeconds()) - before) / ASKED) * 1000;
    const p95Ms = quantile(Float64Array.from(times).sort(), 0.95);
    rows.push({ name, p50Ms: median(times), p95Ms, clickHouseMs });
  }
  return rows;
}

/** CPU of a batch of ten spans at the fixed rate: of all collectors that take batches, of the receiver, of Redis and of ClickHouse. */
async function measureCost(
  { generator, rounds, secondsPerRound, textLength, rate },
  { senders, receiver, redis, clickHouse, settled },
) {
  const order = {
    spans: 10,
    textLength,
    connections: CONNECTIONS,
    port: 0,
    ports: senders.map(({ port }) => port),
  };
  await generator.run({ ...order, seconds: 0, requests: WARM_UP_REQUESTS });
  await settled();
  const secondsOf = async (servers) => {
    let sum = 0;
    for (const server of servers) if (server !== undefined) sum += await server.cpuSeconds();
    return sum;
  };
  const all = {
    collectorMicros: senders,
    receiverMicros: [receiver],
    redisMicros: [redis],
    clickHouseMicros: [clickHouse],
  };
  const samples = Object.fromEntries(Object.keys(all).map((name) => [name, []]));
  const answers = [];
  for (let round = 0; round < rounds; round++) {
    const before = {};
    for (const [name, servers] of Object.entries(all)) before[name] = await secondsOf(servers);
    const load = { seconds: secondsPerRound, ratePerSecond: rate, sleeps: true };
    const result = await generator.run({ ...order, ...load });
    await settled();
    answers.push(result.otherAnswers);
    for (const [name, servers] of Object.entries(all))
      samples[name].push((((await secondsOf(servers)) - before[name]) / result.requests) * 1e6);
  }
  const figures = Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
  return { ...figures, otherAnswers: sumOf(answers) };
}

/** @returns {ReturnType<typeof startCollector>} a collector whose batches wait in a Redis. */
async function startOn(redis, { checkout, settings = {} }) {
  const server = await startCollector({ checkout, settings: { ...settings, QUEUE_URL: redis.url } });
  return { ...server, settled: redis.settled };
}

/** Resolves when the thread that owns the file has written all that was accepted: its work counts too. */
async function written({ port, settled }) {
  await settled();
  while ((await scrape(port))("obs_trace_store_pending_bytes") > 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What the file takes when nothing waits in its log. */
async function bytesASpan({ port }, directory) {
  const { status } = await fetch(`http://127.0.0.1:${port}/v1/store/compact`, { method: "POST" });
  if (status !== 200) throw new Error(`POST /v1/store/compact was answered ${status}.`);
  const spans = (await scrape(port))("obs_trace_store_spans");
  return statSync(join(directory, "traces.db")).size / spans;
}

async function withDirectory(measure) {
  const directory = mkdtempSync(join(tmpdir(), "obspan-bench-"));
  try {
    return await measure(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function sumOf(answers) {
  const sum = {};
  for (const each of answers)
    for (const [status, count] of Object.entries(each)) sum[status] = (sum[status] ?? 0) + count;
  return sum;
}

/** The share of the queue in the cost of a batch. */
function shareOfQueue({ collectorMicros, redisMicros }, replicas) {
  return 1 - replicas[0].collectorMicros / (collectorMicros + redisMicros);
}

/** @param {Awaited<ReturnType<typeof measureCluster>>} results */
export function printCluster({ rate, figures, admissions, replicas, shapes, clickHouse, missing }) {
  console.log("\nQueue in Redis: each of 32 connections sending as fast as it is answered");
  printTable(
    ["queue in", "spans", "batches/s", "p50 ms", "p99 ms", "collector µs", "Redis µs"],
    admissions.map((row) => [
      row.queue,
      String(row.spansPerRequest),
      row.requestsPerSecond,
      row.p50Ms,
      row.p99Ms,
      row.collectorMicros,
      row.redisMicros,
    ]),
  );
  printGoals(GOALS, figures);
  console.log(`\nCollectors on one Redis, ${rate} batches of ten spans a second in all, CPU a batch`);
  printTable(
    ["collectors", "collectors µs", "Redis µs", "share of the queue"],
    replicas.map((row) => [
      row.replicas === 0 ? "queue in memory" : String(row.replicas),
      row.collectorMicros,
      row.redisMicros,
      row.replicas === 0 ? "" : `${Math.round(shareOfQueue(row, replicas) * 100)} %`,
    ]),
  );
  console.log(`\nShapes, ${rate} batches of ten spans a second, cost of a span`);
  printTable(
    ["", "collectors µs", "receiver µs", "Redis µs", "ClickHouse µs", "file bytes", "queue bytes"],
    shapes.map((row) => [
      row.shape,
      row.collectorMicros / 10,
      row.receiverMicros / 10,
      row.redisMicros / 10,
      row.clickHouseMicros / 10,
      row.fileBytes,
      row.queueBytes ?? 0,
    ]),
  );
  if (clickHouse === undefined) {
    console.log(`\nWithout ClickHouse: ${missing}.`);
    return;
  }
  console.log(`\nQuestions to ClickHouse with ${show(clickHouse.spans)} spans`);
  printTable(
    ["", "p50 ms", "p95 ms", "CPU ms of ClickHouse"],
    clickHouse.questions.map(({ name, p50Ms, p95Ms, clickHouseMs }) => [name, p50Ms, p95Ms, clickHouseMs]),
  );
  printGoals(CLICKHOUSE_GOALS, figures);
}

function printGoals(goals, figures) {
  printTable(
    ["", "goal", "measured", "memory", ""],
    goals.map((goal) => {
      const { value, bound, isMet } = judge(goal, { figures });
      const beside = goal.beside === undefined ? "" : show(figures[goal.beside]);
      const limit = `${goal.isLowest ? "≥" : "≤"} ${bound.toLocaleString("en")}`;
      return [goal.name, limit, show(value), beside, isMet ? "" : "missed"];
    }),
  );
}

/** The goals that are missed by more than their tolerance, a line each. */
export function missedOfCluster(result) {
  const goals = [...GOALS, ...(result.clickHouse === undefined ? [] : CLICKHOUSE_GOALS)];
  return goals
    .filter((goal) => judge(goal, result).isMissed)
    .map(({ name, figure, unit }) => `  cluster: ${name}: ${show(result.figures[figure])} ${unit}`.trimEnd());
}

/** What is compared with a baseline. */
export function clusterFigures({ figures, admissions, replicas, shapes, clickHouse }) {
  return [
    { name: "p99 ms, queue in Redis", value: figures.p99Ms },
    ...admissions.flatMap(({ queue, spansPerRequest, collectorMicros, redisMicros }) => [
      { name: `CPU µs, queue in ${queue}, ${spansPerRequest} spans`, value: collectorMicros },
      ...(queue === "Redis"
        ? [{ name: `CPU µs of Redis, ${spansPerRequest} spans`, value: redisMicros }]
        : []),
    ]),
    ...replicas.map((row) => ({
      name: `CPU µs, ${row.replicas} on one Redis`,
      value: row.collectorMicros + row.redisMicros,
    })),
    ...shapes.map((row) => ({
      name: `CPU µs, ${row.shape}`,
      value: row.collectorMicros + row.receiverMicros + row.redisMicros + row.clickHouseMicros,
    })),
    ...(clickHouse?.questions ?? []).map(({ name, clickHouseMs }) => ({
      name: `CPU ms of ClickHouse, ${name}`,
      value: clickHouseMs,
    })),
  ];
}
