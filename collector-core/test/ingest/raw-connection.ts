import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A connection that a test writes to byte by byte, and reads or does not. */
export interface RawConnection {
  readonly socket: Socket;
  /** All that has come, where the connection is read. */
  received(): string;
  isClosed(): boolean;
}

/** Connects to a collector; with `reads` false nothing that it answers is read. */
export async function connectRaw(url: string, reads = true): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on("error", () => undefined);
  socket.on("close", () => (isClosed = true));
  if (reads) socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  else socket.pause();
  onTestFinished(() => void socket.destroy());
  return { socket, received: () => Buffer.concat(chunks).toString("latin1"), isClosed: () => isClosed };
}

export const getRequest = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

/** Begins to post a body, and sends no more of it than `sentBytes`. */
export function stalledPost(path: string, announcedBytes: number, sentBytes: number): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${announcedBytes}\r\n\r\n${" ".repeat(sentBytes)}`;
}

/** Resolves when it is so. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("It did not come to be so in time.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
