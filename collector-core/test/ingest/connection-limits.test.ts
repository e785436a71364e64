import { createServer, get, Agent, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createExemptAddresses } from "../../src/ingest/client-address.js";
import { limitConnections, type ConnectionLimitsOptions } from "../../src/ingest/connection-limits.js";
import { systemClock } from "../../src/runtime/clock.js";
import { connectRaw, getRequest, until } from "./raw-connection.js";

async function serverWith(options: Partial<ConnectionLimitsOptions>) {
  const server = createServer((_request, response) => void response.end("ok"));
  const refused: [number, string | undefined][] = [];
  const calls = { stalled: 0 };
  limitConnections(server, {
    maxConnections: 1000,
    maxPerAddress: 1000,
    isExempt: () => false,
    clock: systemClock,
    destroyHalfOpen: () => undefined,
    cutOffStalled: () => {
      calls.stalled++;
    },
    onRefused: (max, client) => refused.push([max, client]),
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, refused, calls };
}

describe("server.max_connections_per_address", () => {
  it("closes excess connections of an address and accepts new ones after others close", async () => {
    const { url, refused } = await serverWith({ maxPerAddress: 3 });
    const taken = [await connectRaw(url), await connectRaw(url), await connectRaw(url)];
    const tooMany = await connectRaw(url);
    await until(() => tooMany.isClosed());
    expect(refused).toEqual([[3, "127.0.0.1"]]);
    expect(taken.some((each) => each.isClosed())).toBe(false);

    taken[0]?.socket.destroy();
    await until(async () => {
      const next = await connectRaw(url);
      next.socket.write(getRequest("/"));
      await until(() => next.isClosed() || next.received() !== "");
      return next.received().startsWith("HTTP/1.1 200");
    });
  });

  it("does not limit loopback and trusted proxies", async () => {
    const isExempt = createExemptAddresses(["10.0.0.0/8"]);
    expect(["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3"].map(isExempt)).toEqual(
      Array.from({ length: 4 }, () => true),
    );
    expect(["192.168.0.1", "2001:db8::1", ""].map(isExempt)).toEqual([false, false, false]);
    const { url, refused } = await serverWith({ maxPerAddress: 1, isExempt });
    const clients = [await connectRaw(url), await connectRaw(url)];
    expect(clients.map((each) => each.isClosed())).toEqual([false, false]);
    expect(refused).toEqual([]);
  });

  it("closes idle connections and those of stalled readers before all connections are in use", async () => {
    const { url, calls, refused } = await serverWith({ maxConnections: 10 });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const response = await new Promise<IncomingMessage>((resolve) => get(url, { agent }, resolve));
    const { socket } = response;
    let isClosed = false;
    socket.once("close", () => (isClosed = true));
    response.resume();
    await new Promise((resolve) => response.once("end", resolve));
    const busy = [];
    for (let n = 0; n < 8; n++) {
      const connection = await connectRaw(url);
      connection.socket.write("GET / HTTP/1.1\r\n");
      busy.push(connection);
    }
    await until(() => isClosed);
    expect(calls.stalled).toBeGreaterThan(0);
    expect(busy.some((each) => each.isClosed())).toBe(false);
    expect(refused).toEqual([]);
  });
});
