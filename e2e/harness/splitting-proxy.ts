import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP proxy between a collector and Redis that can split them, as a network does: nothing arrives, and nothing is closed. */
export interface SplittingProxy {
  readonly port: number;
  /** Holds everything back from now on, on new connections too. */
  split(): void;
  /** Passes on what was held back, and all that follows. */
  heal(): void;
  stop(): Promise<void>;
}

export async function startSplittingProxy(targetPort: number): Promise<SplittingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSplit = false;

  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    const pair = [client, target] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        pairs.delete(pair);
        client.destroy();
        target.destroy();
      });
    }
    if (!isSplit) join(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    split() {
      isSplit = true;
      for (const [client, target] of pairs) {
        client.unpipe(target);
        target.unpipe(client);
      }
    },
    heal() {
      isSplit = false;
      pairs.forEach(join);
    },
    async stop() {
      for (const [client] of pairs) client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join([client, target]: readonly [Socket, Socket]): void {
  client.pipe(target);
  target.pipe(client);
}
