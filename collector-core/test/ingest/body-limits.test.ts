import { setMaxListeners } from "node:events";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createBodyLimits } from "../../src/ingest/body-limits.js";
import { errorOf, span, startCollector } from "../running-collector.js";
import { connectRaw, until } from "./raw-connection.js";

const MIB = 2 ** 20;

/** Returns a valid batch with a text of `bytes` bytes. */
function batchOf(bytes: number): string {
  return JSON.stringify({ spans: [span({ attributes: { input_text: "x".repeat(bytes) } })] });
}

function gzipPost(body: Buffer): Buffer {
  const head =
    "POST /v1/telemetry HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
    `Content-Encoding: gzip\r\nContent-Length: ${body.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

const never = new AbortController().signal;
setMaxListeners(0, never);

describe("reliability: limits work on large bodies", () => {
  it("parses one large body per turn of the event loop", async () => {
    const limits = createBodyLimits();
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const taken = await Promise.all(
      Array.from({ length: 8 }, () => limits.wait(never, (wait) => limits.parse(wait, () => turn))),
    );
    isOver = true;
    expect(new Set(taken).size).toBe(8);
  });

  it("decompresses at most three bodies concurrently", async () => {
    const limits = createBodyLimits();
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        limits.wait(never, (wait) =>
          limits.decompress(wait, async () => {
            most = Math.max(most, ++running);
            await new Promise(setImmediate);
            running--;
          }),
        ),
      ),
    );
    expect(most).toBe(3);
  });

  it("refuses a body with `overloaded` if it waits too long or too many wait", async () => {
    const limits = createBodyLimits(20);
    const endless = (): Promise<unknown> =>
      limits.wait(never, (wait) => limits.decompress(wait, () => new Promise(() => undefined)));
    for (let body = 0; body < 3; body++) void endless();
    await expect(endless()).rejects.toMatchObject({ code: "overloaded", status: 503 });
    const waiting = Array.from({ length: 300 }, endless);
    const codes = await Promise.allSettled(waiting);
    expect(codes.every(({ status }) => status === "rejected")).toBe(true);
  });

  it("stops the wait of a body when its connection closes", async () => {
    const limits = createBodyLimits();
    const connection = new AbortController();
    for (let body = 0; body < 3; body++)
      void limits.wait(never, (wait) => limits.decompress(wait, () => new Promise(() => undefined)));
    let isRead = false;
    const left = limits.wait(connection.signal, (wait) =>
      limits.decompress(wait, () => Promise.resolve((isRead = true))),
    );
    connection.abort(new Error("closed"));
    await expect(left).rejects.toThrow("closed");
    expect(isRead).toBe(false);
  });
});

describe("reliability: spends no work on disconnected clients", () => {
  it("discards compressed bodies of disconnected senders and counts them as 499", async () => {
    const { url, metric } = await startCollector();
    const request = gzipPost(gzipSync(batchOf(9 * MIB)));
    const clients = await Promise.all(Array.from({ length: 40 }, () => connectRaw(url)));
    for (const { socket } of clients) socket.end(request, () => socket.destroy());
    const route = 'obs_http_requests_total{route="/v1/telemetry"';
    await until(
      async () => (await metric(`${route},status="499"}`)) + (await metric(`${route},status="202"}`)) >= 40,
    );
    expect(await metric("obs_spans_received_total")).toBeLessThan(20);
  });

  it("accepts large and compressed bodies of connected senders", async () => {
    const { url, post, metric } = await startCollector();
    const body = gzipSync(batchOf(MIB));
    const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
    // On a busy machine, a body may wait too long to be read. Senders repeat it.
    const statusOf = async (send: () => Promise<Response>): Promise<number> => {
      const { status } = await send();
      return status === 503 ? await statusOf(send) : status;
    };
    const compressed = () => fetch(`${url}/v1/telemetry`, { method: "POST", headers, body });
    const statuses = await Promise.all([
      ...Array.from({ length: 8 }, () => statusOf(compressed)),
      ...Array.from({ length: 4 }, () => statusOf(() => post(batchOf(MIB)))),
    ]);
    expect(statuses).toEqual(new Array(12).fill(202));
    expect(await metric("obs_spans_received_total")).toBe(12);
    const broken = await fetch(`${url}/v1/telemetry`, { method: "POST", headers, body: "no gzip" });
    expect(await errorOf(broken)).toMatchObject({ code: "invalid_encoding" });
  });
});
