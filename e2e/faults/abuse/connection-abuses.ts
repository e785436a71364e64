import { connect } from "node:net";
import { expect } from "vitest";
import { IS_WHOLE } from "../../harness/experiment.js";
import { createGzippedBatches, gzippedBatch } from "../../harness/gzipped-batches.js";
import { rawRequest, sendRequest, sendRequests } from "../../harness/raw-requests.js";
import { openUnread } from "../../harness/unread-connection.js";
import { pause, until, within } from "../../harness/until.js";
import type { Abuse, AbuseContext } from "./abuse.js";

const MEBIBYTE = 1024 * 1024;
const SPAN_PATH = "/v1/traces/large/spans/s";

/** A span of 9 MB under {@link SPAN_PATH}. */
async function storeLargeSpan({ port }: AbuseContext): Promise<void> {
  const attributes = { prompt_text: "x".repeat(9_000_000) };
  const spans = [{ name: "a", span_type: "llm", trace_id: "large", span_id: "s", attributes }];
  await sendRequest(port, gzippedBatch(JSON.stringify({ spans })));
  await until("the span is stored", async () => {
    const { status } = await sendRequest(port, rawRequest({ path: "/v1/traces/large" }));
    return status === 200 || undefined;
  });
}

/** Expects that small batches are accepted soon while others misbehave. */
async function expectIngestion({ port, note }: AbuseContext, batches: number): Promise<void> {
  const batch = gzippedBatch(JSON.stringify({ spans: [{ name: "small", trace_id: "small" }] }));
  const responses = await sendRequests(
    port,
    Array.from({ length: batches }, () => batch),
    2,
  );
  note(responses);
  expect(responses.filter(({ status, tookMs }) => status !== 202 || tookMs > 5000)).toEqual([]);
}

/** An import that takes longer than the request timeout allows for other requests. */
function slowImport(): Abuse {
  return {
    name: "an import slower than the request timeout",
    async prepare({ collector, port, size }) {
      const response = await fetch(`${collector.url}/v1/export?trace_id=run-0`);
      const line = Buffer.from(await response.text());
      const lines = size(9, 15);
      const { head } = rawRequest({
        path: "/v1/import",
        headers: { "Content-Type": "application/jsonl", "Content-Length": String(line.length * lines) },
      });
      return async () => {
        const socket = connect({ port, host: "127.0.0.1" });
        let answer = "";
        socket.on("data", (chunk: Buffer) => void (answer += chunk.toString("utf8")));
        socket.on("error", () => undefined);
        const closed = new Promise((resolve) => socket.once("close", resolve));
        socket.write(head.toString("latin1").replace("GET", "POST"));
        for (let sent = 0; sent < lines && !socket.destroyed; sent++) {
          socket.write(line);
          await pause(1950);
        }
        await within("the import is answered", closed, 30_000);
        expect(answer).toMatch(/^HTTP\/1\.1 200 /);
        expect(answer).toContain(`"lines":${lines}`);
      };
    },
  };
}

/** Clients that open connections and stall. */
export const CONNECTION_ABUSES: readonly Abuse[] = [
  {
    name: "1,000 pipelined requests on a connection that reads no responses",
    async prepare(context) {
      const { port, size, afterwards } = context;
      await storeLargeSpan(context);
      const { head } = rawRequest({ path: SPAN_PATH, keepAlive: true });
      const requests = Buffer.concat(Array.from({ length: 1000 }, () => head));
      return async () => {
        const socket = openUnread(port, [requests]);
        afterwards(() => void socket.destroy());
        await pause(size(2500, 25_000));
      };
    },
  },
  {
    name: "600 connections that read no responses",
    async prepare(context) {
      const { port, size, afterwards } = context;
      await storeLargeSpan(context);
      const { head } = rawRequest({ path: SPAN_PATH, keepAlive: true });
      return async () => {
        // Fewer than twenty responses of 9 MB fill `limits.max_in_flight_bytes`.
        const sockets = Array.from({ length: size(60, 600) }, () => openUnread(port, [head]));
        afterwards(() => {
          for (const socket of sockets) socket.destroy();
        });
        await pause(size(2500, 25_000));
      };
    },
  },
  {
    name: "18 uploads that stall after 9.9 MB",
    prepare(context) {
      const { port, size, afterwards } = context;
      const { head } = rawRequest({
        path: "/v1/telemetry",
        headers: { "Content-Type": "application/json", "Content-Length": "10000000" },
        body: [],
      });
      const start = Buffer.from(head.toString("latin1").replace("GET", "POST"), "latin1");
      const most = Buffer.alloc(9_900_000, " ");
      return async () => {
        const sockets = Array.from({ length: 18 }, () => openUnread(port, [start, most]));
        afterwards(() => {
          for (const socket of sockets) socket.destroy();
        });
        await pause(1000);
        await expectIngestion(context, size(20, 500));
      };
    },
  },
  {
    // As many as `server.max_connections_per_address` allows one address.
    name: "250 bodies of queries that lack their last byte",
    prepare(context) {
      const { port, size, afterwards } = context;
      const head = Buffer.from(
        "POST /v1/evaluations HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
          `Content-Length: ${MEBIBYTE}\r\n\r\n`,
      );
      const most = Buffer.alloc(MEBIBYTE - 1, " ");
      return async () => {
        const sockets = Array.from({ length: size(200, 250) }, () => openUnread(port, [head, most]));
        afterwards(() => {
          for (const socket of sockets) socket.destroy();
        });
        await pause(1000);
        await expectIngestion(context, size(20, 500));
      };
    },
  },
  {
    name: "8 slow readers of traces that are evicted meanwhile",
    prepare({ port, size, note, afterwards }) {
      const batch = createGzippedBatches(`${"x".repeat(9_900_000)}"}}]}`);
      const start = (trace: number, span: number): string =>
        `{"spans":[{"name":"a","span_type":"llm","trace_id":"slow-${trace}","span_id":"s${span}","attributes":{"prompt_text":"`;
      return async () => {
        for (let trace = 0; trace < size(2, 12); trace++) {
          // Two traces of seven spans are more than the store may keep.
          const spans = Array.from({ length: size(7, 12) }, (_, span) => batch(start(trace, span)));
          note(await sendRequests(port, spans, 2));
          await pause(300);
          const { head } = rawRequest({ path: `/v1/traces/slow-${trace}?full=1`, keepAlive: true });
          const socket = openUnread(port, [head]);
          afterwards(() => void socket.destroy());
          await pause(300);
        }
      };
    },
  },
  // In the tests, slow-clients.test.ts has such an import.
  ...(IS_WHOLE ? [slowImport()] : []),
  {
    name: "1,000 refused clients that do not close their connections",
    prepare({ port, afterwards }) {
      const refused = Buffer.from("NOT HTTP\r\n\r\n");
      return async () => {
        const sockets = Array.from({ length: 1000 }, () => openUnread(port, [refused]));
        afterwards(() => {
          for (const socket of sockets) socket.destroy();
        });
        // Each has two seconds to close its half; then connections are accepted again.
        await until("a new connection is answered", async () => {
          const { status } = await sendRequest(port, rawRequest({ path: "/health" }), 1000);
          return status === 200 || undefined;
        });
      };
    },
  },
];
