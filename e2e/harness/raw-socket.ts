import { connect, type Socket } from "node:net";
import { pause } from "./until.js";

/** What was received on a connection. */
export interface RawOutcome {
  /** All received bytes, as latin1. */
  readonly received: string;
  /** The statuses of the responses. */
  readonly statuses: readonly number[];
  /** How long the connection was open. */
  readonly openMs: number;
  /** False if the connection was still open at the timeout. */
  readonly closedByPeer: boolean;
}

/** Options of a raw exchange. */
export interface RawOptions {
  /** Written first. */
  readonly bytes: Uint8Array | string;
  /** Written repeatedly afterwards, one piece every 500 ms, like a slow-loris client. */
  readonly drip?: string;
  /** True to close the client's half of the connection after `bytes`. */
  readonly end?: boolean;
  /** How long to wait until the server closes the connection. */
  readonly withinMs: number;
}

const DRIP_MS = 500;

/** Opens a connection, writes arbitrary bytes, and waits until the server closes it. Never rejects. */
export async function sendRaw(port: number, options: RawOptions): Promise<RawOutcome> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  const openedAt = performance.now();
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A reset by the peer closes the connection too.
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
