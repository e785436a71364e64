/** What it costs to keep traces on disk, beside the memory store, for each goal of `disk-goals.mjs`. */
import { execFileSync, fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WORDS } from "./disk-batches.mjs";
import { GOALS, judge } from "./disk-goals.mjs";
import { lostAtKill } from "./disk-kill.mjs";
import { projectDirectory, scrape, startCollector } from "./servers.mjs";
import { median, printTable, quantile, show } from "./statistics.mjs";

const ARRIVING = { spans: 10, connections: 32, ratePerSecond: 1000 };
/** Requests per second at which the written bytes are measured, and for how long. */
const WRITE_RATES = [
  [10, 5],
  [100, 4],
  [1000, 3],
];
const REMOVALS = 10;
const QUESTIONS = {
  list: ["/v1/traces", "/v1/traces?limit=200"],
  filter: [
    "/v1/traces?service=service-3",
    "/v1/traces?agent=agent-7&status=OK",
    "/v1/traces?status=ERROR&limit=50",
    "/v1/traces?model=claude-sonnet-4-5&min_duration_ms=1000",
  ],
  order: ["/v1/traces?order=slowest", "/v1/traces?order=costliest&env=staging"],
};

/**
 * Measures this Node, and Node 24 as well if this one has no SQLite of its own.
 *
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {number} options.rounds
 * @param {number} options.secondsPerRound
 * @param {number} options.textLength
 * @param {readonly number[]} options.sizes - spans in the file.
 * @param {string} [options.checkout] - a built checkout, whose engine and collectors are measured. Default: this one.
 */
export async function measureDisk({ sizes, checkout = projectDirectory, ...options }) {
  const results = [];
  for (const node of runtimes()) {
    for (const spans of sizes) results.push(await measureSize({ ...options, ...node, checkout, spans }));
  }
  return results;
}

function runtimes() {
  const own = { node: process.execPath, version: process.version, driver: driverOf(process.execPath) };
  if (own.driver === "node:sqlite") return [own];
  try {
    const script = "console.log(process.execPath + ' ' + process.version)";
    const found = execFileSync("npx", ["-y", "-p", "node@24", "node", "-e", script], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 120_000,
    });
    const [node = "", version = ""] = found.trim().split(" ");
    return [own, { node, version, driver: driverOf(node) }];
  } catch {
    console.log("npx cannot run Node 24: node:sqlite is not measured.");
    return [own];
  }
}

function driverOf(node) {
  const script = "console.log(process.getBuiltinModule?.('node:sqlite') ? 'node:sqlite' : 'wasm')";
  return execFileSync(node, ["-e", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

async function measureSize({ spans, node, version, driver, ...options }) {
  const directory = mkdtempSync(join(tmpdir(), "obspan-bench-"));
  try {
    const { checkout, rounds } = options;
    const engine = await measureEngine({ directory, node, checkout, spans, rounds });
    const collectors = await measureCollectors({ directory, node, ...options });
    const lostMs = await lostAtKill({ node, checkout, kills: Math.min(rounds, 3) });
    const removal = await measureRemoval({ directory, node, checkout, spans });
    return {
      spans,
      node: version,
      driver,
      figures: { ...engine, ...collectors.figures, ...removal, lostMs },
      otherAnswers: collectors.otherAnswers,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param {readonly object[]} results */
export function printDisk(results) {
  for (const result of results) {
    console.log(
      `\nTraces on disk, ${result.spans.toLocaleString("en")} spans, Node ${result.node} (${result.driver})`,
    );
    printTable(
      ["", "goal", "disk", "memory", ""],
      GOALS.map((goal) => {
        const { value, bound, isMet } = judge(goal, result);
        const limit =
          bound === undefined ? "–" : `${goal.isLowest ? "≥" : "≤"} ${bound.toLocaleString("en")}`;
        const beside = goal.beside === undefined ? "" : show(result.figures[goal.beside]);
        const unit = goal.unit === "" ? "" : `, ${goal.unit}`;
        return [`${goal.name}${unit}`, limit, show(value), beside, isMet ? "" : "missed"];
      }),
    );
  }
}

/** The goals that are missed by more than their tolerance, a line each. */
export function missedGoals(results) {
  return results.flatMap((result) =>
    GOALS.filter((goal) => judge(goal, result).isMissed).map(
      ({ name, figure, unit }) =>
        `  disk, ${result.spans.toLocaleString("en")} spans, Node ${result.node}: ${name}: ` +
        `${show(result.figures[figure])} ${unit}`,
    ),
  );
}

/** The goals as figures to compare with a baseline. */
export function diskFigures(results) {
  return results.flatMap(({ figures, node, spans }) =>
    GOALS.map(({ name, figure, isLowest }) => ({
      name: `${name}, ${spans} spans, Node ${node}`,
      value: figures[figure],
      ...(isLowest && { isHigherBetter: true }),
    })),
  );
}

/** A process that runs the tasks of a checkout's `disk-probe.mjs`. */
class Probe {
  #child;

  constructor(node, checkout) {
    this.#child = fork(join(checkout, "e2e/bench/disk-probe.mjs"), { execPath: node });
  }

  run(task, args = {}) {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`The task "${task}" ended without a result.`));
      this.#child.once("exit", ended);
      this.#child.once("message", (result) => {
        this.#child.off("exit", ended);
        if (typeof result === "object" && "error" in result) reject(new Error(result.error));
        else resolve(result);
      });
      this.#child.send({ task, ...args });
    });
  }

  async stop() {
    await this.run("close");
    await new Promise((resolve) => {
      this.#child.once("exit", resolve);
      this.#child.disconnect();
    });
  }
}

/** What the engine needs without a collector around it: writing, opening, queries. */
async function measureEngine({ directory, node, checkout, spans, rounds }) {
  const writer = new Probe(node, checkout);
  const handedOver = await writer.run("handOver", { rounds });
  const written = await writer.run("write", { directory, spans });
  await writer.stop();

  const opened = [];
  const asked = [];
  for (let round = 0; round < 3; round++) {
    const reader = new Probe(node, checkout);
    opened.push((await reader.run("open", { directory, spans })).firstPageMs);
    asked.push(await reader.run("ask", { questions: engineQuestions() }));
    await reader.stop();
  }
  const cpuMs = (at) => median(asked.map((samples) => samples[at].cpuMs));
  return {
    handOverMicros: handedOver.diskMicros,
    memoryAppendMicros: handedOver.memoryMicros,
    storageMicros: written.cpuMicrosPerSpan,
    spansPerCpuSecond: written.spansPerCpuSecond,
    fileOverReceived: written.fileOverReceived,
    firstPageMs: median(opened),
    facetsCpuMs: cpuMs(2),
    nowhereCpuMs: cpuMs(4),
    eighthCpuMs: cpuMs(5),
    eighthAgainCpuMs: cpuMs(6),
    thousandthCpuMs: cpuMs(7),
    worstCpuMs: cpuMs(8),
    eighthFacetsCpuMs: cpuMs(9),
    attributeCpuMs: Math.max(...ATTRIBUTES.map((_, index) => cpuMs(10 + index))),
  };
}

/**
 * A value of many traces, of one that is far back, of none although other traces have the attribute, of those with a text, and what
 * only few do not have.
 */
const ATTRIBUTES = [
  "@customer.tier:gold",
  "@order.id:order-00000fff",
  "@customer.tier:platinum",
  "@campaign:everest",
  "@customer.tier:silver -@campaign:everest",
  "-@customer.tier:bronze",
];

/** The first of a kind compiles code, and is not counted. */
function engineQuestions() {
  return [
    ["list", {}],
    ["facets", {}],
    ["facets", {}],
    ["list", { q: "no such text" }],
    ["list", { q: "nor this text" }],
    ["list", { q: WORDS.ofAnEighth }],
    ["list", { q: WORDS.ofAnEighth }],
    ["list", { q: WORDS.ofAThousand }],
    // Too short for the signatures: every chunk is read.
    ["list", { q: "q~q" }],
    ["facets", { q: WORDS.ofAnEighth }],
    ...ATTRIBUTES.map((query) => ["list", { query, limit: 50 }]),
  ];
}

/** Collectors with the file, with the memory store, and without a store, with the same load in turns. */
async function measureCollectors({
  generator,
  rounds,
  secondsPerRound,
  textLength,
  checkout,
  node,
  directory,
}) {
  const collectors = {
    disk: await startCollector({ checkout, node, settings: { TRACE_STORE_PATH: directory } }),
    memory: await startCollector({ checkout, node }),
    none: await startCollector({ checkout, node, settings: { TRACE_STORE_ENABLED: "false" } }),
  };
  const otherAnswers = {};
  const send = async (name, order) => {
    const result = await generator.run({ ...ARRIVING, ...order, port: collectors[name].port, textLength });
    for (const [status, count] of Object.entries(result.otherAnswers))
      otherAnswers[status] = (otherAnswers[status] ?? 0) + count;
    return result;
  };
  const p99 = { disk: [], memory: [], none: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? ["disk", "memory", "none"] : ["none", "memory", "disk"]) {
      const { p99Ms } = await send(name, { seconds: secondsPerRound });
      // The first round warms up.
      if (round > 0) p99[name].push(p99Ms);
    }
  }
  const resident = {};
  for (const [name, { port }] of Object.entries(collectors))
    resident[name] = (await scrape(port))("process_resident_memory_bytes") / 1e6;

  const figures = {
    ingestP99Ms: median(p99.disk),
    memoryIngestP99Ms: median(p99.memory),
    ingestP99Ratio: median(p99.disk.map((value, round) => value / p99.memory[round])),
    residentMb: resident.disk - resident.none,
    memoryResidentMb: resident.memory - resident.none,
  };
  for (const [ratePerSecond, seconds] of WRITE_RATES) {
    const bytes = {};
    for (const name of ["memory", "disk"]) {
      const before = writtenBytes(collectors[name]);
      const { requests, bytes: bodyBytes } = await send(name, { ratePerSecond, seconds });
      await new Promise((resolve) => setTimeout(resolve, 500));
      bytes[name] = (writtenBytes(collectors[name]) - before) / (requests * bodyBytes);
    }
    // What both write is the responses.
    figures[`writtenAt${ratePerSecond}`] = bytes.disk - bytes.memory;
  }

  for (const name of ["memory", "disk"]) {
    const times = { list: [], filter: [], order: [] };
    const load = send(name, { seconds: rounds * secondsPerRound + 1, sleeps: true });
    const endsAt = performance.now() + rounds * secondsPerRound * 1000;
    while (performance.now() < endsAt) {
      for (const [kind, paths] of Object.entries(QUESTIONS))
        for (const path of paths) times[kind].push(await timeOf(collectors[name].port, path));
    }
    await load;
    for (const [kind, samples] of Object.entries(times)) {
      const sorted = Float64Array.from(samples).sort();
      figures[`${name}_${kind}P50Ms`] = quantile(sorted, 0.5);
      figures[`${name}_${kind}P95Ms`] = quantile(sorted, 0.95);
    }
  }
  for (const collector of Object.values(collectors)) await collector.stop();
  return { figures, otherAnswers };
}

/** Bytes that a process has passed to the system to write. */
function writtenBytes({ process: { pid } }) {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1]);
}

async function timeOf(port, path) {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}.`);
  return performance.now() - startedAt;
}

/** Removing traces one by one, and a limit that is lower than the file. */
async function measureRemoval({ directory, node, checkout, spans }) {
  const probe = new Probe(node, checkout);
  await probe.run("open", { directory, spans });
  const removed = await probe.run("remove", { count: REMOVALS });
  const { samples } = await probe.run("retention", { directory, share: 0.98 });
  await probe.stop();
  const longest = (steps, field) => steps.reduce((most, step) => Math.max(most, step[field]), 0);
  return {
    // The first removal compiles code.
    removalCpuMs: longest(removed.slice(2), "cpuMs"),
    retentionCpuMs: longest(samples.slice(1), "cpuMs"),
    removalMs: longest(removed.slice(2), "ms"),
    retentionMs: longest(samples.slice(1), "ms"),
  };
}
