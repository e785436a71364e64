import { connect, type Socket } from "node:net";
import { pause } from "./until.js";

/** What a connection brought back. */
export interface RawOutcome {
  /** All bytes that came, as latin1. */
  readonly received: string;
  /** The statuses of the answers among them. */
  readonly statuses: readonly number[];
  /** How long the connection stayed open. */
  readonly openMs: number;
  /** False where it was still open when the time was up. */
  readonly closedByPeer: boolean;
}

/** How a connection is used. */
export interface RawOptions {
  /** What is written at once. */
  readonly bytes: Uint8Array | string;
  /** Written after that, again and again, a piece every 500 ms: what a slow-loris client does. */
  readonly drip?: string;
  /** True to end our half of the connection after `bytes`. */
  readonly end?: boolean;
  /** How long to wait for the other side to close it. */
  readonly withinMs: number;
}

const DRIP_MS = 500;

/** Opens a connection, writes bytes that need be no HTTP, and waits until the other side closes it. Never rejects. */
export async function sendRaw(port: number, options: RawOptions): Promise<RawOutcome> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  const openedAt = performance.now();
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A reset by the peer is a way to close, too.
  socket.on("error", () => undefined);
  const closed = new Promise<true>((resolve) => {
    socket.once("end", () => resolve(true));
    socket.once("close", () => resolve(true));
  });

  socket.write(options.bytes);
  if (options.end === true) socket.end();
  const stopDripping = dripInto(socket, options.drip);
  const closedByPeer = await Promise.race([closed, pause(options.withinMs).then(() => false)]);
  const openMs = performance.now() - openedAt;
  stopDripping();
  socket.destroy();

  const received = Buffer.concat(chunks).toString("latin1");
  return { received, statuses: statusesIn(received), openMs, closedByPeer };
}

function dripInto(socket: Socket, drip: string | undefined): () => void {
  if (drip === undefined) return () => undefined;
  const timer = setInterval(() => void socket.write(drip), DRIP_MS);
  return () => clearInterval(timer);
}

function statusesIn(received: string): number[] {
  return [...received.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => Number(status));
}
