import { Agent, request, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";

/** A request to the collector. */
export interface Outgoing {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A complete response. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request in progress. */
export interface Sent {
  /** Resolves when the request is written to the socket. */
  readonly written: Promise<void>;
  /** Rejects if the connection closes without a response. */
  readonly answer: Promise<Answer>;
}

/** Keeps a number of connections to a collector open. `fetch` reports neither their number nor when a request is written. */
export interface HttpClient {
  send(outgoing: Outgoing): Sent;
  /** Opens every connection, so that later requests do not wait for one. */
  openConnections(): Promise<void>;
  /** The number of open connections without a request. */
  idleConnections(): number;
  close(): void;
}

/** Response timeout: shorter than a test, so that the error names the request. */
const ANSWER_WITHIN_MS = 20_000;

export function createHttpClient(url: string, connections: number): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });

  function send({ method = "GET", path, headers = {}, body }: Outgoing): Sent {
    let onWritten: () => void = () => undefined;
    const written = new Promise<void>((resolve) => (onWritten = resolve));
    const answer = new Promise<Answer>((resolve, reject) => {
      const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
      const outgoing = request(url + path, { agent, method, headers: { ...length, ...headers } });
      outgoing.on("finish", onWritten);
      outgoing.setTimeout(ANSWER_WITHIN_MS, () => {
        outgoing.destroy(new Error(`No answer to ${method} ${path} within ${ANSWER_WITHIN_MS} ms.`));
      });
      outgoing.on("error", reject);
      outgoing.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode = 0, headers: answered } = response;
          resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks).toString("utf8") });
        });
      });
      outgoing.end(body);
    });
    return { written, answer };
  }

  return {
    send,
    async openConnections() {
      const probes = Array.from({ length: connections }, () => send({ path: "/health" }).answer);
      await Promise.all(probes);
    },
    idleConnections: () => Object.values(agent.freeSockets).flat().length,
    close: () => agent.destroy(),
  };
}

/** {@link createHttpClient} for one test, closed at its end. */
export function clientForTest(url: string, connections: number): HttpClient {
  const client = createHttpClient(url, connections);
  onTestFinished(() => client.close());
  return client;
}

/** A batch for POST /v1/telemetry. */
export function telemetry(batch: unknown, headers: Readonly<Record<string, string>> = {}): Outgoing {
  return {
    method: "POST",
    path: "/v1/telemetry",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof batch === "string" || batch instanceof Uint8Array ? batch : JSON.stringify(batch),
  };
}

/** A batch of `count` spans of one trace. */
export function batchOf(count: number, traceId: string, fields: Readonly<Record<string, unknown>> = {}) {
  const spans = Array.from({ length: count }, (_, index) => ({
    name: "chat",
    span_type: "llm",
    trace_id: traceId,
    span_id: `s${index}`,
    duration_ms: 5,
    ...fields,
  }));
  return { service: "e2e", spans };
}

/**
 * A batch of `count` minimal spans, a hundred to a trace: more than a worker takes at once, in a body that one socket read
 * returns.
 */
export function smallSpans(count: number, traceId: string) {
  const spans = Array.from({ length: count }, (_, index) => ({
    name: "c",
    trace_id: `${traceId}-${Math.floor(index / 100)}`,
  }));
  return { service: "e2e", spans };
}
