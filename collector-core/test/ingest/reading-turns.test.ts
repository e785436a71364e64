import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock, type Clock } from "../../src/runtime/clock.js";
import { noteConnection } from "../../src/runtime/loop-turn.js";
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
async function startServer(
  answer: (request: IncomingMessage) => Promise<number>,
  clock: Pick<Clock, "monotonic"> = systemClock,
): Promise<string> {
  const turns = createReadingTurns(clock);
  const limit = createShortChunkLimit(turns);
  const listener: RequestListener = (request, response) => {
    if (request.url === "/health") {
      response.end("healthy");
      return;
    }
    limit.watch(request);
    void answer(request).then((bytes) => response.end(`received ${bytes}`));
  };
  const server = createServer(listener)
    .on("connection", (socket) => turns.add(socket))
    .on("connection", noteConnection);
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
    // Each slice takes a millisecond, on a machine of any speed.
    let nowMs = 0;
    const clock = { monotonic: () => nowMs++ };
    const url = await startServer(
      (request) =>
        countBytes(request, () => {
          if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
          most = Math.max(most, inTurn);
        }),
      clock,
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

  it("are parsed in slices of 2 KiB on connections that are opened after them", async () => {
    let nowMs = 0;
    let inTurn = 0;
    let most = 0;
    let answered = 0;
    // The time of a turn is over after each slice.
    const clock = { monotonic: () => (nowMs += 5) };
    const url = await startServer(async (request) => {
      const bytes = await countBytes(request, () => {
        if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
        if (answered > 0) most = Math.max(most, inTurn);
      });
      answered++;
      return bytes;
    }, clock);
    for (let sent = 0; sent < 4; sent++) {
      const { socket, received } = await connectRaw(url);
      socket.write(HEAD + BODY);
      await until(() => received().includes(`received ${17 * CHUNKS}`));
      socket.destroy();
    }
    expect(most).toBeGreaterThan(0);
    // The reader of a body may get the chunks of a slice with those of the next.
    expect(most).toBeLessThanOrEqual(2 * Math.ceil(2048 / CHUNK.length));
  });

  it("of many new connections come after a request of few bytes", async () => {
    let nowMs = 0;
    const begun = new Set<IncomingMessage>();
    // One slice is parsed in each turn.
    const clock = { monotonic: () => (nowMs += 5) };
    const url = await startServer(
      async (request) => await countBytes(request, () => void begun.add(request)),
      clock,
    );
    const costly = await connectRaw(url);
    costly.socket.write(HEAD + BODY);
    await until(() => begun.size === 1);
    const before = await Promise.all(Array.from({ length: 20 }, () => connectRaw(url)));
    const probe = await connectRaw(url);
    const after = await Promise.all(Array.from({ length: 20 }, () => connectRaw(url)));
    let begunBefore = Number.POSITIVE_INFINITY;
    probe.socket.once("data", () => (begunBefore = begun.size));
    for (const { socket } of before) socket.write(HEAD + BODY);
    probe.socket.write(getRequest("/health"));
    for (const { socket } of after) socket.write(HEAD + BODY);
    await until(() => probe.received().includes("healthy"));
    expect(begunBefore).toBeLessThan(10);
  });

  it("on one connection leave the requests of another as they are", async () => {
    const url = await startServer((request) => countBytes(request, () => undefined));
    const [costly, other] = await Promise.all([connectRaw(url), connectRaw(url)]);
    costly.socket.write(HEAD + BODY);
    const bytes = 300_000;
    const post = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${bytes}\r\n\r\n${"x".repeat(bytes)}`;
    for (let sent = 1; sent <= 5; sent++) {
      other.socket.write(post);
      await until(() => other.received().split(`received ${bytes}`).length === sent + 1);
    }
    await until(() => costly.received().includes(`received ${17 * CHUNKS}`));
  });
});
