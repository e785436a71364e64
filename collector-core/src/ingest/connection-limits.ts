import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientNetwork } from "./client-network.js";

/** What bounds connections. */
export interface ConnectionLimitsOptions {
  /** Of all addresses together. */
  readonly maxConnections: number;
  /** `server.max_connections_per_address`. */
  readonly maxPerAddress: number;
  /** Loopback and `server.trusted_proxies`: many clients have one such address. */
  readonly isExempt: (address: string) => boolean;
  /** Closes connections whose client does not close them. */
  readonly destroyHalfOpen: () => void;
  /** Disconnects readers that take nothing of their answers. */
  readonly cutOffStalled: () => void;
  /** Told when a connection was refused: all are taken, or all of its address. */
  readonly onRefused: (max: number, client: string | undefined) => void;
}

/** From this part of all connections on, half-open ones, idle ones and those of stalled readers close. */
const CROWDED = 0.9;

/** Lets no single address take all connections of a server (contract 5). */
export function limitConnections(server: Server, options: ConnectionLimitsOptions): void {
  const { maxConnections, maxPerAddress } = options;
  const countOf = new Map<string, number>();
  let count = 0;
  server.maxConnections = maxConnections;

  function shed(): void {
    options.destroyHalfOpen();
    server.closeIdleConnections();
    options.cutOffStalled();
  }

  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    const client = clientNetwork(remoteAddress);
    const ofClient = countOf.get(client) ?? 0;
    if (ofClient >= maxPerAddress && !options.isExempt(remoteAddress)) {
      socket.destroy();
      options.onRefused(maxPerAddress, client);
      return;
    }
    count++;
    countOf.set(client, ofClient + 1);
    socket.once("close", () => {
      count--;
      const left = (countOf.get(client) ?? 1) - 1;
      if (left === 0) countOf.delete(client);
      else countOf.set(client, left);
    });
    if (count >= maxConnections * CROWDED) shed();
  });
  server.on("drop", () => {
    shed();
    options.onRefused(maxConnections, undefined);
  });
}
