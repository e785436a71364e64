import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../runtime/clock.js";
import { ClientCounts } from "./client-counts.js";
import { clientNetwork } from "./client-network.js";

/** Options of {@link limitConnections}. */
export interface ConnectionLimitsOptions {
  /** Maximum over all addresses. */
  readonly maxConnections: number;
  /** `server.max_connections_per_address`. */
  readonly maxPerAddress: number;
  /** Loopback and `server.trusted_proxies`: many clients share such an address. */
  readonly isExempt: (address: string) => boolean;
  readonly clock: Pick<Clock, "monotonic">;
  /** Closes connections whose client does not close them. */
  readonly destroyHalfOpen: () => void;
  /** Disconnects clients that do not read their responses. */
  readonly cutOffStalled: () => void;
  /** Called when a connection is refused: `client` is undefined if the total is reached. */
  readonly onRefused: (max: number, client: string | undefined) => void;
}

/** At this fraction of the maximum, half-open and idle connections and those of stalled readers close. */
const CROWDED = 0.9;

/** Connections that are opened, or refused, between two searches for connections to close. A search looks at all of them. */
const SHED_EVERY = 16;
/** Time after which the next connection leads to a search. */
const SHED_EVERY_MS = 20;

/** Limits the connections of one address and of all (contract 5). */
export function limitConnections(server: Server, options: ConnectionLimitsOptions): void {
  const { maxConnections, maxPerAddress } = options;
  const counts = new ClientCounts();
  let count = 0;
  let sinceShed = 0;
  let shedAtMs = Number.NEGATIVE_INFINITY;
  server.maxConnections = maxConnections;

  function shedIfDue(): void {
    const nowMs = options.clock.monotonic();
    if (++sinceShed < SHED_EVERY && nowMs - shedAtMs < SHED_EVERY_MS) return;
    sinceShed = 0;
    shedAtMs = nowMs;
    options.destroyHalfOpen();
    server.closeIdleConnections();
    options.cutOffStalled();
  }

  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    const client = clientNetwork(remoteAddress);
    if (counts.of(client) >= maxPerAddress && !options.isExempt(remoteAddress)) {
      socket.destroy();
      options.onRefused(maxPerAddress, client);
      return;
    }
    count++;
    counts.add(client);
    socket.once("close", () => {
      count--;
      counts.remove(client);
    });
    if (count >= maxConnections * CROWDED) shedIfDue();
  });
  server.on("drop", () => {
    shedIfDue();
    options.onRefused(maxConnections, undefined);
  });
}
