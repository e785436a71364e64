import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReadingTurns } from "../../src/ingest/reading-turns.js";
import { createShortChunkLimit } from "../../src/ingest/short-chunks.js";
import { connectRaw, getRequest, until } from "./raw-connection.js";

/** Bytes that Node reads at once. They have 2,849 chunks of 17 bytes. */
const BLOCK_BYTES = 64 * 1024;
const CHUNK = `11\r\n${" ".repeat(17)}\r\n`;
const CHUNKS = 20_000;
const HEAD = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n";
const BODY = `${CHUNK.repeat(CHUNKS)}0\r\n\r\n`;

/** A server that limits short chunks. `/health` is answered at once, other requests by `answer`. */
async function startServer(answer: (request: IncomingMessage) => Promise<number>): Promise<string> {
  const turns = createReadingTurns();
  const limit = createShortChunkLimit(turns);
  const listener: RequestListener = (request, response) => {
    if (request.url === "/health") {
      response.end("healthy");
      return;
    }
    limit.watch(request);
    void answer(request).then((bytes) => response.end(`received ${bytes}`));
  };
  const server = createServer(listener).on("connection", (socket) => turns.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function countBytes(request: IncomingMessage, onChunk: () => void): Promise<number> {
  let bytes = 0;
  return await new Promise((resolve) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      onChunk();
    });
    request.once("end", () => resolve(bytes));
  });
}

describe("reliability: short chunks of many connections", () => {
  it("are parsed a block at a time, with a turn of the event loop after each", async () => {
    let inTurn = 0;
    let most = 0;
    const url = await startServer((request) =>
      countBytes(request, () => {
        if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
        most = Math.max(most, inTurn);
      }),
    );
    const clients = await Promise.all(Array.from({ length: 8 }, () => connectRaw(url)));
    for (const { socket } of clients) socket.write(HEAD + BODY);
    await until(() => clients.every(({ received }) => received().includes(`received ${17 * CHUNKS}`)));
    // The limit of a turn may be reached just before the end of a block, and a body may end in a block.
    expect(most).toBeLessThan(2048 + 3 * (BLOCK_BYTES / CHUNK.length));
  });

  it("leave room for a request that arrives after them", async () => {
    let answered = 0;
    const url = await startServer(async (request) => {
      const bytes = await countBytes(request, () => undefined);
      answered++;
      return bytes;
    });
    const clients = await Promise.all(Array.from({ length: 12 }, () => connectRaw(url)));
    for (const { socket } of clients) socket.write(HEAD + BODY);
    const probe = await connectRaw(url);
    probe.socket.write(getRequest("/health"));
    await until(() => probe.received().includes("healthy"));
    expect(answered).toBeLessThan(clients.length);
    await until(() => answered === clients.length);
  });

  it("do not resume a body that its reader has paused", async () => {
    let paused: IncomingMessage | undefined;
    let answered = 0;
    const url = await startServer(async (request) => {
      if (paused === undefined) {
        paused = request.pause();
        await until(() => answered === 4);
        paused.resume();
      }
      const bytes = await countBytes(request, () => undefined);
      answered++;
      return bytes;
    });
    const first = await connectRaw(url);
    first.socket.write(HEAD + BODY);
    await until(() => (paused?.readableLength ?? 0) > 0);
    const others = await Promise.all(Array.from({ length: 4 }, () => connectRaw(url)));
    for (const { socket } of others) socket.write(HEAD + BODY);
    await until(() => answered === 4);
    expect(paused?.readableLength).toBeLessThan(3 * BLOCK_BYTES);
    await until(() => first.received().includes(`received ${17 * CHUNKS}`));
  });
});
