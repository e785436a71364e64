import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A TCP connection of a test. */
export interface RawConnection {
  readonly socket: Socket;
  /** Returns the received text; empty if the connection is not read. */
  received(): string;
  isClosed(): boolean;
}

/** Connects to a collector. If `reads` is false, responses are not read. */
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

/** Returns a POST request with only the first `sentBytes` of its body. */
export function stalledPost(path: string, announcedBytes: number, sentBytes: number): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${announcedBytes}\r\n\r\n${" ".repeat(sentBytes)}`;
}

/** Resolves when the condition is true. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("The condition was not true in time.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
