import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { nextTurn, noteConnection } from "../../src/runtime/loop-turn.js";

describe("work that is done in turns of the event loop", () => {
  it("goes on when the connections that wait have been taken, and what they ask was read", async () => {
    const asked: string[] = [];
    const server = createServer((socket) => {
      noteConnection();
      socket.on("data", (data) => void asked.push(String(data)));
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
    expect(asked).toHaveLength(20);
  });

  it("goes on after a while though connections keep coming", async () => {
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
