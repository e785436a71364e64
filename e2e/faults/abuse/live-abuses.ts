import { connect, type Socket } from "node:net";
import { gzippedBatch } from "../../harness/gzipped-batches.js";
import { rawRequest, sendRequests } from "../../harness/raw-requests.js";
import { openUnread } from "../../harness/unread-connection.js";
import { pause } from "../../harness/until.js";
import type { Abuse, AbuseContext } from "./abuse.js";

const SPANS_PER_BATCH = 2000;
/** All running spans that the live feed remembers. */
const MANY_SPANS = 10_000;

interface RunningSpans {
  readonly traceId: string;
  readonly spans: number;
  readonly spanId: (index: number) => string;
}

/** Sends running spans: without a text they start, with one they have it as the answer so far. */
async function sendRunning(
  { port, note }: AbuseContext,
  { traceId, spans, spanId }: RunningSpans,
  text?: string,
): Promise<void> {
  const attributes = text === undefined ? {} : { completion_partial: text };
  const all = Array.from({ length: spans }, (_, index) => ({
    name: "n",
    trace_id: traceId,
    span_id: spanId(index),
    status: "RUNNING",
    attributes,
  }));
  const batches: string[] = [];
  for (let at = 0; at < spans; at += SPANS_PER_BATCH)
    batches.push(JSON.stringify({ spans: all.slice(at, at + SPANS_PER_BATCH) }));
  note(
    await sendRequests(
      port,
      batches.map((batch) => gzippedBatch(batch)),
      2,
    ),
  );
}

const readerOf = (traceId: string): Uint8Array =>
  rawRequest({ path: `/v1/live?trace_id=${encodeURIComponent(traceId)}`, keepAlive: true }).head;

function openReader({ port, afterwards }: AbuseContext, traceId: string): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  socket.resume();
  socket.write(readerOf(traceId));
  afterwards(() => void socket.destroy());
  return socket;
}

/** Readers of the texts of running spans. */
export const LIVE_ABUSES: readonly Abuse[] = [
  {
    name: "400 readers of 10,000 live texts that are sent again",
    async prepare(context) {
      const { size } = context;
      const running = { traceId: "live", spans: MANY_SPANS, spanId: (index: number) => `s${index}` };
      await sendRunning(context, running);
      return async () => {
        for (let count = size(100, 400); count > 0; count--) openReader(context, running.traceId);
        await pause(500);
        for (let round = 0; round < size(2, 10); round++) {
          await sendRunning(context, running, "x");
          await pause(200);
        }
      };
    },
  },
  {
    name: "8 MB of digits as live texts of 32 traces, redacted",
    settings: { REDACTION_ENABLED: "true" },
    async prepare(context) {
      const { size } = context;
      const digits = " 4111".repeat(1620);
      const traces = Array.from({ length: size(8, 32) }, (_, index) => ({
        traceId: `live-${index}`,
        spans: 31,
        spanId: (span: number) => `s${span}`,
      }));
      for (const trace of traces) await sendRunning(context, trace);
      return async () => {
        for (const { traceId } of traces) openReader(context, traceId);
        await pause(500);
        for (let round = 0; round < size(1, 3); round++) {
          for (const trace of traces) await sendRunning(context, trace, digits);
          await pause(size(1000, 3000));
        }
      };
    },
  },
  {
    name: "490 readers of live texts that hardly read",
    async prepare(context) {
      const { port, size, afterwards } = context;
      const running = {
        traceId: "😀".repeat(128),
        spans: MANY_SPANS,
        spanId: (index: number) => "中".repeat(58) + String(index).padStart(6, "0"),
      };
      await sendRunning(context, running);
      await sendRunning(context, running, "x");
      const head = readerOf(running.traceId);
      return async () => {
        const sockets = Array.from({ length: size(150, 490) }, () => openUnread(port, [head]));
        afterwards(() => {
          for (const socket of sockets) socket.destroy();
        });
        for (let round = 0; round < size(2, 8); round++) {
          await pause(2500);
          for (const socket of sockets) {
            socket.once("data", () => socket.pause());
            socket.resume();
          }
        }
      };
    },
  },
];
