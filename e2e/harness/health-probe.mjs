/**
 * Asks a collector for /health every 20 ms, in a process of its own, until stdin ends: `health-probe.mjs <port> <pid>`.
 * Then it writes one line of JSON on stdout: a `HealthReport` of health-probe.ts.
 *
 * Each request is due at a fixed time and has a connection of its own, as a kubelet's probe has: a collector that is busy
 * for a second gets fifty of them, and none waits for the answer to another.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [port, pid] = process.argv.slice(2).map(Number);
const INTERVAL_MS = 20;
const MEMORY_INTERVAL_MS = 100;
/** How long the last requests have for their answers. One that has waited longer is reported as unanswered. */
const LAST_ANSWERS_MS = 5000;
const REQUEST = "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
const ANSWER_START = "HTTP/1.1 200";

/** Of each answer, from when its request was due. */
const latenciesMs = [];
/** From when it was sent, without the time in which the collector could have gone on and the machine gave it no core. */
const ownLatenciesMs = [];
/** Connections whose request has no answer yet. */
const underWay = new Set();
let unanswered = 0;
let peakRssBytes = 0;
let latestByMs = 0;
let stopping = false;

let dueAtMs = performance.now();
let asking = setTimeout(askWhatIsDue);
const measuring = setInterval(measureMemory, MEMORY_INTERVAL_MS);
process.stdin.resume().once("end", () => {
  stopping = true;
  clearTimeout(asking);
  setTimeout(report, LAST_ANSWERS_MS).unref();
  reportWhenDone();
});

function askWhatIsDue() {
  for (let nowMs = performance.now(); nowMs >= dueAtMs; dueAtMs += INTERVAL_MS) {
    latestByMs = Math.max(latestByMs, nowMs - dueAtMs);
    ask(dueAtMs);
  }
  asking = setTimeout(askWhatIsDue, dueAtMs - performance.now());
}

function ask(dueMs) {
  const sentAtMs = performance.now();
  const waitedMs = waitedForCoreMs();
  let text = "";
  let isAnswered = false;
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  underWay.add(socket);
  socket.setEncoding("latin1");
  // What can be said of an error, "close" says.
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    if (isAnswered) return;
    text += chunk;
    if (!text.startsWith(ANSWER_START)) return;
    isAnswered = true;
    const nowMs = performance.now();
    latenciesMs.push(nowMs - dueMs);
    ownLatenciesMs.push(Math.max(0, nowMs - sentAtMs - (waitedForCoreMs() - waitedMs)));
  });
  socket.once("close", () => {
    underWay.delete(socket);
    if (!isAnswered) unanswered++;
    reportWhenDone();
  });
  socket.write(REQUEST);
}

function reportWhenDone() {
  if (stopping && underWay.size === 0) report();
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
    unanswered: unanswered + underWay.size,
    seen: distribution(latenciesMs),
    own: distribution(ownLatenciesMs),
    probeLateMs: latestByMs,
    peakRssBytes,
  };
  process.stdout.write(`${JSON.stringify(health)}\n`, () => process.exit(0));
}
