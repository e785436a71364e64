import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { nextTurn, noteConnection } from "../../src/runtime/loop-turn.js";

describe("nextTurn", () => {
  it("resolves after the pending connections are accepted and their requests are read", async () => {
    const requests: string[] = [];
    const server = createServer((socket) => {
      noteConnection();
      socket.on("data", (data) => void requests.push(String(data)));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: 20 }, (_, n) => connect({ port, host: "127.0.0.1" }).end(String(n)));
    onTestFinished(() => {
      for (const client of clients) client.destroy();
      server.close();
    });
    for (const client of clients) if (!client.writableFinished) await once(client, "finish");
    await nextTurn();
    await nextTurn();
    expect(requests).toHaveLength(20);
  });

  it("resolves after a bounded number of turns while connections keep arriving", async () => {
    let turns = 0;
    let next = setImmediate(connectAgain);
    onTestFinished(() => clearImmediate(next));
    function connectAgain(): void {
      turns++;
      noteConnection();
      next = setImmediate(connectAgain);
    }
    await nextTurn();
    expect(turns).toBeGreaterThan(10);
    expect(turns).toBeLessThan(100);
  });
});
