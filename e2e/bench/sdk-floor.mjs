/**
 * The least cost of sending spans in the SDK's batches: prepared objects with new attributes, one `JSON.stringify` a batch, one
 * write on an open socket, and a check for the response. No ids, clock, context, limits or retries.
 */
import { once } from "node:events";
import { connect } from "node:net";

const BATCH_SIZE = 100;

/** @param {string} url - of a receiver on this machine. */
export async function createBareExporter(url) {
  const { hostname, port } = new URL(url);
  const spans = [];
  let answered;
  const buffer = Buffer.alloc(4096);
  const socket = connect({ host: hostname, port, onread: { buffer, callback: () => (answered(), true) } });
  await once(socket.setNoDelay(true), "connect");

  return {
    push(name, attributes) {
      spans.push({
        name,
        span_type: "llm",
        trace_id: "0123456789abcdef0123456789abcdef",
        span_id: "0123456789abcdef",
        start_time: 1_763_755_000_123.457,
        status: "OK",
        attributes,
        duration_ms: 0.123,
      });
    },
    async flush() {
      while (spans.length > 0) {
        const body = Buffer.from(
          JSON.stringify({ service: "bench", env: "development", spans: spans.splice(0, BATCH_SIZE) }),
        );
        await new Promise((resolve) => {
          answered = resolve;
          socket.cork();
          socket.write(
            `POST /v1/telemetry HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
          );
          socket.write(body);
          socket.uncork();
        });
      }
    },
  };
}
