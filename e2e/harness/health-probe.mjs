/**
 * Requests /health of a collector at an interval, from a message with its port, its pid and the interval in milliseconds until
 * the message `stop`. Then it sends a `HealthReport` of health-probe.ts, and waits for the next collector.
 *
 * Each request is due at a fixed time and opens its own connection, like a kubelet's probe. A collector that is busy for a
 * second receives all that are due, and none waits for another.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const MEMORY_INTERVAL_MS = 100;
/** Time limit of the last requests; later ones are reported as unanswered. */
const LAST_ANSWERS_MS = 5000;
const REQUEST = "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
const ANSWER_START = "HTTP/1.1 200";

let stop = () => undefined;
process.on("message", (message) => {
  if (message === "stop") stop();
  else stop = startProbe(message);
});

/** Requests /health until the returned function is called. */
function startProbe({ port, pid, intervalMs }) {
  /** Latency of each response, from the time its request was due. */
  const latenciesMs = [];
  /** Latency from the time the request was sent, without the time in which the collector waited for a core. */
  const ownLatenciesMs = [];
  /** Connections that wait for a response. */
  const underWay = new Set();
  let unanswered = 0;
  let peakRssBytes = 0;
  let latestByMs = 0;
  let stopping = false;

  let dueAtMs = performance.now();
  let asking;
  askWhatIsDue();
  const measuring = setInterval(measureMemory, MEMORY_INTERVAL_MS);
  let lastAnswersTimer;
  return () => {
    stopping = true;
    clearTimeout(asking);
    lastAnswersTimer = setTimeout(report, LAST_ANSWERS_MS);
    reportWhenDone();
  };

  function askWhatIsDue() {
    for (let nowMs = performance.now(); nowMs >= dueAtMs; dueAtMs += intervalMs) {
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
    // "close" follows every error.
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
      if (!underWay.delete(socket)) return;
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
      // The process has exited.
    }
  }

  /** Time in which the main thread of the collector was ready to run while another process had the core. */
  function waitedForCoreMs() {
    try {
      const [, nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
      return Number(nanoseconds) / 1e6;
    } catch {
      // The process has exited, or the kernel has no schedstat.
      return 0;
    }
  }

  function report() {
    clearInterval(measuring);
    clearTimeout(lastAnswersTimer);
    measureMemory();
    process.send({
      answered: latenciesMs.length,
      unanswered: unanswered + underWay.size,
      seen: distribution(latenciesMs),
      own: distribution(ownLatenciesMs),
      probeLateMs: latestByMs,
      peakRssBytes,
    });
    for (const socket of underWay) socket.destroy();
    underWay.clear();
  }
}

function distribution(timesMs) {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: quantile(1) };
}
