import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Server } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { answerBadHttp } from "../../src/ingest/bad-http.js";
import { endHalfOpen } from "../../src/ingest/half-open.js";

const LINGER_MS = 100;

async function startServer(isHooked: boolean): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { Connection: "close" }).end("done");
  });
  server.timeout = 20_000;
  if (isHooked) server.on("connection", (socket) => endHalfOpen(socket, LINGER_MS));
  server.on("clientError", (error, socket) => void answerBadHttp(error, socket as never));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** A client that keeps its half of the connection open, whatever the server says. */
async function sendAndIgnoreFin(server: Server, bytes: string): Promise<string> {
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: "127.0.0.1",
    allowHalfOpen: true,
  });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
  socket.write(bytes);
  await once(socket, "end");
  return received;
}

const connections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

it.each([
  ["what is no HTTP", "nonsense\r\n\r\n", "400"],
  ["a request that closes the connection", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "200"],
])(
  "gives the place of a client free that ignores the end of the connection, after %s",
  async (_what, bytes, status) => {
    const server = await startServer(true);
    expect(await sendAndIgnoreFin(server, bytes)).toContain(`HTTP/1.1 ${status}`);
    await vi.waitFor(async () => expect(await connections(server)).toBe(0), { timeout: 5000 });
  },
);

it("would be held without it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startServer(false);
  const hooked = await startServer(true);
  await sendAndIgnoreFin(server, "nonsense\r\n\r\n");
  await sendAndIgnoreFin(hooked, "nonsense\r\n\r\n");
  await vi.advanceTimersByTimeAsync(LINGER_MS);
  while ((await connections(hooked)) > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await connections(server)).toBe(1);
});
