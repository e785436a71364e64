import { describe, expect, it } from "vitest";
import { GatheredBytes } from "../../src/ingest/gathered-bytes.js";
import { span, startCollector } from "../running-collector.js";
import { otlpRequest } from "../otlp/otlp-request.js";
import { connectRaw, getRequest, until } from "./raw-connection.js";

/** Repeats chunks of the sizes up to a total number of bytes. */
function chunksOf(sizes: readonly number[], bytes: number): Buffer[] {
  const all = Buffer.from(Array.from({ length: bytes }, (_, index) => index % 251));
  const chunks: Buffer[] = [];
  for (let at = 0, n = 0; at < bytes; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    chunks.push(all.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** Returns a request with a body in chunks of one byte. */
function inOneByteChunks(path: string, type: string, body: string): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return `${head}${Array.from(body, (byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`;
}

describe("reliability: the memory of a body depends on its bytes, not on its chunks", () => {
  it.each([
    ["one byte each", [1]],
    ["one byte between long chunks", [4096, 1]],
    ["chunks of a few bytes", [7, 1, 300]],
    ["one byte too short to be kept without a copy", [4095]],
    ["long chunks", [16_000, 70_000]],
    ["empty chunks among others", [0, 1, 0, 5000]],
  ])("holds few buffers and keeps the bytes in order: %s", (_what, sizes) => {
    const bytes = 300_000;
    const chunks = chunksOf(sizes, bytes);
    const gathered = new GatheredBytes();
    for (const chunk of chunks) gathered.add(chunk);
    expect(gathered.byteLength).toBe(bytes);
    expect(gathered.bufferCount).toBeLessThanOrEqual((2 * bytes) / 4096 + 2);
    expect(gathered.take().equals(Buffer.concat(chunks))).toBe(true);
    expect([gathered.byteLength, gathered.bufferCount]).toEqual([0, 0]);
  });

  it("returns a single chunk without a copy", () => {
    const gathered = new GatheredBytes();
    for (const chunk of chunksOf([10], 30)) {
      gathered.add(chunk);
      expect(gathered.take()).toBe(chunk);
    }
    expect(gathered.take().byteLength).toBe(0);
  });

  it("accepts a batch in chunks of one byte", async () => {
    const { url, get, settled } = await startCollector();
    const body = JSON.stringify({ spans: [span({ attributes: { input_text: "x".repeat(7000) } })] });
    const client = await connectRaw(url);
    client.socket.write(inOneByteChunks("/v1/telemetry", "application/json", body));
    await until(() => client.received().includes("HTTP/1.1 202"));
    await settled();
    expect(await get("/v1/traces")).toMatchObject({ traces: [{ trace_id: "t1" }] });
  });

  it("refuses a batch of very many chunks of one byte, and closes the connection", async () => {
    const { url, metric } = await startCollector();
    const client = await connectRaw(url);
    client.socket.write(inOneByteChunks("/v1/telemetry", "application/json", " ".repeat(100_000)));
    await until(() => client.isClosed());
    await until(
      async () => (await metric('obs_http_requests_total{route="/v1/telemetry",status="400"}')) === 1,
    );
  });

  it("imports lines in chunks of one byte", async () => {
    const { url } = await startCollector();
    const line = JSON.stringify(otlpRequest([{ attributes: { text: "x".repeat(3000) } }]));
    const client = await connectRaw(url);
    client.socket.write(inOneByteChunks("/v1/import", "application/jsonl", `${line}\n\n${line}`));
    await until(() => client.received().includes('"lines":2'));
    expect(client.received()).toContain('"refused_lines":0');
  });

  it("refuses a file of very many chunks of one byte and accepts one of longer chunks", async () => {
    const { url } = await startCollector();
    const line = JSON.stringify(otlpRequest([{ attributes: { text: "x".repeat(900_000) } }]));
    const sent = async (chunk: number): Promise<string> => {
      const client = await connectRaw(url);
      const head = inOneByteChunks("/v1/import", "application/jsonl", "").slice(0, -"0\r\n\r\n".length);
      const chunks = Array.from({ length: Math.ceil(line.length / chunk) }, (_, index) => {
        const part = line.slice(index * chunk, (index + 1) * chunk);
        return `${part.length.toString(16)}\r\n${part}\r\n`;
      });
      client.socket.write(`${head}${chunks.join("")}0\r\n\r\n`);
      await until(() => client.isClosed() || client.received().includes("}"));
      return client.received();
    };
    expect(await sent(1)).not.toContain("HTTP/1.1 200");
    expect(await sent(32)).toContain('"spans":1');
  });

  it("accepts bodies of short chunks that arrive at the same time", async () => {
    const { url } = await startCollector();
    const batch = JSON.stringify({ spans: [span({ attributes: { input_text: "x".repeat(4000) } })] });
    const clients = await Promise.all(Array.from({ length: 10 }, () => connectRaw(url)));
    for (const { socket } of clients) socket.write(getRequest("/health"));
    await until(() => clients.every(({ received }) => received().includes("HTTP/1.1 200")));
    for (const { socket } of clients)
      socket.write(inOneByteChunks("/v1/telemetry", "application/json", batch));
    await until(() => clients.every(({ received }) => received().includes("HTTP/1.1 202")));
  });

  it.each([
    ["a path that does not exist", "POST", "/nope"],
    ["a route that reads no body", "GET", "/v1/traces"],
    ["a wrong media type", "POST", "/v1/telemetry"],
  ])("closes the connection after very many chunks of one byte: %s", async (_what, method, path) => {
    const { url } = await startCollector();
    const client = await connectRaw(url);
    const bytes = inOneByteChunks(path, "text/plain", "x".repeat(100_000)).replace(/^POST/, method);
    const head = bytes.indexOf("\r\n\r\n") + 4;
    client.socket.write(bytes.slice(0, head));
    await until(() => client.received() !== "");
    client.socket.write(bytes.slice(head));
    await until(() => client.isClosed());
  });
});
