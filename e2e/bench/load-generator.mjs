/**
 * The load generator, in its own process: receives a {@link LoadOrder} as a message and replies with a {@link LoadResult}.
 *
 * It uses keep-alive sockets and a few lines of HTTP. autocannon, with a new body for every request, needs more of its core
 * than the ceiling does, and would measure itself (docs/decisions/0009-what-makes-it-fast.md).
 *
 * @typedef {object} LoadOrder
 * @property {number} port
 * @property {readonly number[]} [ports] - of several servers, which the connections are divided between. Default: `port`.
 * @property {number} spans - in each request.
 * @property {number} [spansPerTrace] - in each request. Default: 10.
 * @property {number} textLength - characters of text in each span.
 * @property {string} [textStart] - what the text in each span begins with.
 * @property {"telemetry" | "otlp"} [format] - the route that it is sent to, and so how. Default: telemetry.
 * @property {number} seconds - how long requests are sent.
 * @property {number} connections
 * @property {number} [requests] - sends so many, however long it takes.
 * @property {number} [ratePerSecond] - sends at these moments, whether or not earlier requests were answered; without
 * it each connection sends when it has its answer.
 * @property {boolean} [sleeps] - sleeps until a request is due, which then goes some milliseconds late: for who measures
 * something else on the same cores meanwhile. Default: turns in the loop, on time, for the price of a core.
 * @property {boolean} [sameTraces] - sends the same ids again and again.
 *
 * @typedef {object} LoadResult
 * @property {number} seconds - until the last answer.
 * @property {number} requests - answered 202, over OTLP 200.
 * @property {Record<string, number>} otherAnswers - by status.
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} bytes - of one body.
 * @property {number} cpuShare - of one core, used by this process.
 */
import { connect } from "node:net";
import { quantile } from "./statistics.mjs";
import { OtlpBatch } from "./otlp-batches.mjs";
import { SpanBatch } from "./span-batches.mjs";

const FORMATS = {
  telemetry: { path: "/v1/telemetry", type: "application/json", accepted: 202, Batch: SpanBatch },
  otlp: { path: "/v1/traces", type: "application/x-protobuf", accepted: 200, Batch: OtlpBatch },
};
/** Distinct for every request of this process, so that no two orders send the same traces. */
let requestNumber = 0;

/** One keep-alive connection with at most one request in progress, and its own body to overwrite. */
class Connection {
  #socket;
  #batch;
  #answer = "";
  #startedAtMs = 0;
  /** @type {(status: number, startedAtMs: number) => void} */
  onAnswer = () => {};

  /** @param {LoadOrder} order */
  constructor({ port, spans, textLength, textStart, spansPerTrace, format = "telemetry" }) {
    const { path, type, Batch } = FORMATS[format];
    this.#batch = new Batch(spans, textLength, textStart, spansPerTrace);
    this.head = Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: ${type}\r\n` +
        `Content-Length: ${this.bytes}\r\n\r\n`,
    );
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (/** @type {string} */ text) => this.#read(text));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("The server closed the connection.")));
  }

  get bytes() {
    return this.#batch.body.length;
  }

  opened() {
    return new Promise((resolve) => this.#socket.once("connect", resolve));
  }

  /**
   * @param {number} startedAtMs - when the request should have gone: its latency counts from then.
   * @param {number} number - new for new traces.
   */
  send(startedAtMs, number) {
    this.#startedAtMs = startedAtMs;
    this.#batch.stamp(number);
    this.#socket.cork();
    this.#socket.write(this.head);
    this.#socket.write(this.#batch.body);
    this.#socket.uncork();
  }

  close() {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  /** @param {string} text */
  #read(text) {
    this.#answer += text;
    if (!isWhole(this.#answer)) return;
    const status = Number(this.#answer.slice(9, 12));
    this.#answer = "";
    this.onAnswer(status, this.#startedAtMs);
  }

  /** @param {Error} error */
  #fail(error) {
    process.send?.({ error: error.message });
  }
}

/** @param {string} answer */
function isWhole(answer) {
  const headEnd = answer.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer.slice(0, headEnd + 2))?.[1];
  return length === undefined
    ? answer.endsWith("\r\n0\r\n\r\n")
    : answer.length >= headEnd + 4 + Number(length);
}

/**
 * @param {LoadOrder} order
 * @returns {Promise<LoadResult>}
 */
async function run(order) {
  const ports = order.ports ?? [order.port];
  const connections = Array.from(
    { length: order.connections },
    (_, index) => new Connection({ ...order, port: ports[index % ports.length] }),
  );
  await Promise.all(connections.map((connection) => connection.opened()));

  const latencies = [];
  const otherAnswers = {};
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const endMs = startMs + order.seconds * 1000;
  const isOver = (sent) =>
    order.requests === undefined ? performance.now() >= endMs : sent >= order.requests;
  const nextNumber = () => (order.sameTraces === true ? 0 : ++requestNumber);
  const { accepted } = FORMATS[order.format ?? "telemetry"];
  const note = (status, startedAtMs) => {
    if (status === accepted) latencies.push(performance.now() - startedAtMs);
    else otherAnswers[status] = (otherAnswers[status] ?? 0) + 1;
  };

  if (order.ratePerSecond === undefined) await sendBackToBack(connections, isOver, nextNumber, note);
  else await sendAtRate(connections, order, startMs, endMs, nextNumber, note);

  const seconds = (performance.now() - startMs) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  for (const connection of connections) connection.close();
  const sorted = Float64Array.from(latencies).sort();
  return {
    seconds,
    requests: latencies.length,
    otherAnswers,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    bytes: connections[0].bytes,
    cpuShare: (cpu.user + cpu.system) / 1e6 / seconds,
  };
}

/** Each connection sends its next request after the response to the last one. */
function sendBackToBack(connections, isOver, nextNumber, note) {
  let sent = 0;
  return Promise.all(
    connections.map(
      (connection) =>
        new Promise((resolve) => {
          const sendNext = () => {
            if (isOver(sent)) return resolve(undefined);
            sent++;
            connection.send(performance.now(), nextNumber());
          };
          connection.onAnswer = (status, startedAtMs) => {
            note(status, startedAtMs);
            sendNext();
          };
          sendNext();
        }),
    ),
  );
}

/**
 * Sends at fixed moments. A request that finds no idle connection waits, and its latency counts from its moment: a
 * server that stalls does not get fewer requests for it (no coordinated omission).
 */
function sendAtRate(connections, { ratePerSecond, sleeps = false }, startMs, endMs, nextNumber, note) {
  const idle = [...connections];
  let scheduled = 0;
  let answered = 0;
  const total = Math.round(((endMs - startMs) / 1000) * ratePerSecond);
  return new Promise((resolve) => {
    const sendDue = () => {
      while (scheduled < total && idle.length > 0) {
        const dueMs = startMs + (scheduled / ratePerSecond) * 1000;
        if (dueMs > performance.now()) return;
        scheduled++;
        // In turn: one that the others left idle for long would be closed by the server.
        idle.shift().send(dueMs, nextNumber());
      }
    };
    for (const connection of connections) {
      connection.onAnswer = (status, startedAtMs) => {
        note(status, startedAtMs);
        idle.push(connection);
        sendDue();
        if (++answered === total) resolve(undefined);
      };
    }
    const turn = () => {
      sendDue();
      if (scheduled === total) return;
      if (sleeps) setTimeout(turn, 1);
      else setImmediate(turn);
    };
    turn();
  });
}

process.on("message", async (order) => {
  process.send?.(await run(/** @type {LoadOrder} */ (order)));
});
