import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { createByteBudget } from "../../src/in-flight/byte-budget.js";
import { createLiveConnection } from "../../src/query/live-connection.js";

const UPDATE = new Uint8Array(256 * 1024);

/** A connection whose client reads nothing until it is told to. */
async function connect(limitBytes: number) {
  const clock = { nowMs: 0, monotonic: () => clock.nowMs };
  const budget = createByteBudget({ limitBytes, clock });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const requested = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  const request = get({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  request.on("error", () => undefined);
  const [, response] = await requested;
  response.writeHead(200).flushHeaders();
  const [client] = (await once(request, "response")) as [IncomingMessage];
  client.on("error", () => undefined);
  const connection = createLiveConnection(response, budget.account("answers"));
  /** Writes until the buffers of the system are full. */
  async function fill(): Promise<void> {
    for (let turns = 0; turns < 100; turns++) {
      if (!connection.isBehind()) {
        connection.write(UPDATE);
        turns = 0;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { clock, budget, response, client, connection, fill, held: () => budget.usage().bytes.answers };
}

it("charges what the client has not taken, and writes no more until it has", async () => {
  const { client, connection, fill, held } = await connect(1e9);
  await fill();
  expect(held()).toBeGreaterThanOrEqual(UPDATE.length);
  const charged = held();
  expect(connection.isBehind()).toBe(true);
  client.resume();
  await vi.waitFor(() => expect([held(), connection.isBehind()]).toEqual([0, false]), { timeout: 10_000 });
  expect(charged).toBeLessThan(2 * UPDATE.length);
});

it("releases all when the client disconnects, and ignores later writes", async () => {
  const { response, client, connection, fill, held } = await connect(1e9);
  await fill();
  client.destroy();
  await vi.waitFor(() => expect(response.closed).toBe(true), { timeout: 10_000 });
  connection.write(UPDATE);
  expect(held()).toBe(0);
});

it("disconnects a client that stalls while others need the memory", async () => {
  const { clock, budget, response, fill } = await connect(1e6);
  const other = budget.account("answers");
  await fill();
  await vi.waitFor(
    () => {
      clock.nowMs += 1100;
      expect(other.tryTake(900_000)).toBe(false);
      expect(response.destroyed).toBe(true);
    },
    { timeout: 10_000 },
  );
  expect(budget.usage().cutOff.answers).toBe(1);
});

it("is behind where memory for an update is lacking, and takes small updates although memory is lacking", async () => {
  const { budget, connection } = await connect(1e6);
  budget.account("answers").take(900_000);
  expect([connection.isBehind(UPDATE.length), connection.isBehind(1000)]).toEqual([true, false]);
});

it("disconnects a client that is behind at its end", async () => {
  const { response, connection, fill } = await connect(1e9);
  await fill();
  connection.end();
  expect(response.destroyed).toBe(true);
});

it("never disconnects an idle client, even if the slowest has to give way", async () => {
  const { clock, budget, response, client, connection, held } = await connect(1e6);
  connection.write("retry: 1000\n\n");
  client.resume();
  await vi.waitFor(() => expect(held()).toBe(0), { timeout: 10_000 });
  let isCutOff = false;
  budget.account("answers").watch(() => (isCutOff = true));
  clock.nowMs += 5000;
  budget.account("evicted_traces").take(900_000);
  await vi.waitFor(() => expect(isCutOff).toBe(true), { timeout: 10_000 });
  expect(response.destroyed).toBe(false);
});
