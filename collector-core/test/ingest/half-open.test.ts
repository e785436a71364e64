import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Server } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { answerBadHttp } from "../../src/ingest/bad-http.js";
import { createHalfOpenConnections } from "../../src/ingest/half-open.js";
import { startCollector } from "../running-collector.js";

const LINGER_MS = 100;

async function startServer(isHooked: boolean): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { Connection: "close" }).end("done");
  });
  server.timeout = 20_000;
  const halfOpen = createHalfOpenConnections(LINGER_MS);
  if (isHooked) server.on("connection", (socket) => halfOpen.watch(socket));
  server.on("clientError", (error, socket) => void answerBadHttp(error, socket as never));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** A client that keeps its half of the connection open. */
async function sendAndIgnoreFin(port: number, bytes: string): Promise<string> {
  const socket = connect({
    port,
    host: "127.0.0.1",
    allowHalfOpen: true,
  });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
  socket.write(bytes);
  // The collector may reset a connection whose client is late.
  await new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  return received;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const connections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

it.each([
  ["an invalid request", "nonsense\r\n\r\n", "400"],
  ["a request that closes the connection", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "200"],
])("closes the connection of a client that ignores FIN, after %s", async (_what, bytes, status) => {
  const server = await startServer(true);
  expect(await sendAndIgnoreFin(portOf(server), bytes)).toContain(`HTTP/1.1 ${status}`);
  await vi.waitFor(async () => expect(await connections(server)).toBe(0), { timeout: 5000 });
});

it("Node keeps a connection whose client ignores FIN", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startServer(false);
  const hooked = await startServer(true);
  await sendAndIgnoreFin(portOf(server), "nonsense\r\n\r\n");
  await sendAndIgnoreFin(portOf(hooked), "nonsense\r\n\r\n");
  await vi.advanceTimersByTimeAsync(LINGER_MS);
  while ((await connections(hooked)) > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await connections(server)).toBe(1);
});

it("closes half-open connections at once when all connections are in use, and answers a new client", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { url } = await startCollector();
  const port = Number(new URL(url).port);
  // The linger timer never fires, because the fake clock does not advance.
  const clients = await Promise.all(
    Array.from({ length: 1000 }, () => sendAndIgnoreFin(port, "nonsense\r\n\r\n")),
  );
  expect(clients.filter((answer) => answer === "" || answer.includes("400")).length).toBe(1000);
  expect(
    await sendAndIgnoreFin(port, "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"),
  ).toContain("200");
});
