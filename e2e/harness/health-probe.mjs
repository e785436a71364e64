/**
 * Asks a collector for /health every 20 ms, in a process of its own, until stdin ends: `health-probe.mjs <port> <pid>`.
 * Then it writes one line of JSON on stdout: a `HealthReport` of health-probe.ts.
 *
 * Requests are pipelined on one connection and go out on time, whether or not earlier ones were answered: a collector that
 * is busy for a second is seen by fifty of them.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [port, pid] = process.argv.slice(2).map(Number);
const INTERVAL_MS = 20;
const MEMORY_INTERVAL_MS = 100;
const LAST_ANSWERS_MS = 30_000;
const REQUEST = "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const ANSWER_START = "HTTP/1.1 200";

/** Of each answer, from when its request was written. */
const latenciesMs = [];
/** The same without the time in which the collector could have gone on, and the machine gave it no core. */
const ownLatenciesMs = [];
/** When each request was written that has no answer yet, oldest first, and for how long the collector had waited by then. */
let asked = [];
let unanswered = 0;
let peakRssBytes = 0;
let latestByMs = 0;
let stopping = false;
let socket = open();

let dueAtMs = performance.now();
const asking = setInterval(ask, INTERVAL_MS / 4);
const measuring = setInterval(measureMemory, MEMORY_INTERVAL_MS);
process.stdin.resume().once("end", () => {
  stopping = true;
  clearInterval(asking);
  setTimeout(report, LAST_ANSWERS_MS).unref();
  if (asked.length === 0) report();
});

function ask() {
  const nowMs = performance.now();
  if (nowMs < dueAtMs) return;
  latestByMs = Math.max(latestByMs, nowMs - dueAtMs);
  dueAtMs = Math.max(dueAtMs + INTERVAL_MS, nowMs);
  asked.push({ atMs: nowMs, waitedMs: waitedForCoreMs() });
  socket.write(REQUEST);
}

function open() {
  let text = "";
  const opened = connect({ port, host: "127.0.0.1", noDelay: true });
  opened.setEncoding("latin1");
  opened.on("error", () => undefined);
  opened.on("data", (chunk) => {
    text += chunk;
    for (let at = text.indexOf(ANSWER_START); at >= 0; at = text.indexOf(ANSWER_START)) {
      text = text.slice(at + ANSWER_START.length);
      const request = asked.shift();
      if (request === undefined) continue;
      const latencyMs = performance.now() - request.atMs;
      latenciesMs.push(latencyMs);
      ownLatenciesMs.push(Math.max(0, latencyMs - (waitedForCoreMs() - request.waitedMs)));
    }
    if (stopping && asked.length === 0) report();
  });
  opened.once("close", () => {
    unanswered += asked.length;
    asked = [];
    if (stopping) report();
    else setTimeout(() => (socket = open()), INTERVAL_MS);
  });
  return opened;
}

function measureMemory() {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    peakRssBytes = Math.max(peakRssBytes, Number(kibibytes ?? 0) * 1024);
  } catch {
    // It has ended.
  }
}

/** For how long the collector's main thread has been ready to run, and another process had the core. */
function waitedForCoreMs() {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    // It has ended, or the kernel keeps no count.
    return 0;
  }
}

function distribution(timesMs) {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: quantile(1) };
}

function report() {
  clearInterval(measuring);
  measureMemory();
  const health = {
    answered: latenciesMs.length,
    unanswered: unanswered + asked.length,
    seen: distribution(latenciesMs),
    own: distribution(ownLatenciesMs),
    probeLateMs: latestByMs,
    peakRssBytes,
  };
  process.stdout.write(`${JSON.stringify(health)}\n`, () => process.exit(0));
}
