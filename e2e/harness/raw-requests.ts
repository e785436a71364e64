import { connect, type Socket } from "node:net";

/** A request as bytes, made once and sent any number of times: who sends it has nothing left to do. */
export interface RawRequest {
  readonly head: Buffer;
  /** Pieces that are sent one after the other. */
  readonly body: readonly Uint8Array[];
}

/** What {@link rawRequest} takes. */
export interface RawRequestOptions {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: readonly Uint8Array[];
  /** Default: false, and the answer ends with the connection. */
  readonly keepAlive?: boolean;
}

export function rawRequest({
  method,
  path,
  headers = {},
  body = [],
  keepAlive,
}: RawRequestOptions): RawRequest {
  const length = body.reduce((sum, piece) => sum + piece.byteLength, 0);
  const fields = {
    Host: "127.0.0.1",
    ...(keepAlive === true ? {} : { Connection: "close" }),
    ...(body.length === 0 ? {} : { "Content-Length": String(length) }),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const verb = method ?? (body.length === 0 ? "GET" : "POST");
  return { head: Buffer.from(`${verb} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1"), body };
}

/** The answer to a raw request. */
export interface RawAnswer {
  /** 0 where the connection was closed without one, or the time was up. */
  readonly status: number;
  readonly bytes: number;
  /** The first of them. */
  readonly start: string;
  readonly tookMs: number;
}

/** Characters of an answer that are kept. */
const KEPT_LENGTH = 4096;
const ANSWER_WITHIN_MS = 60_000;

/** Sends a request on a connection of its own and reads the answer, of which it keeps the beginning. Never rejects. */
export async function sendRequest(
  port: number,
  { head, body }: RawRequest,
  withinMs = ANSWER_WITHIN_MS,
): Promise<RawAnswer> {
  const startedAtMs = performance.now();
  return await new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let start = "";
    let bytes = 0;
    const timer = setTimeout(() => socket.destroy(), withinMs);
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (start.length < KEPT_LENGTH) start += chunk.toString("latin1", 0, KEPT_LENGTH - start.length);
    });
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(timer);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1] ?? 0);
      resolve({ status, bytes, start, tookMs: performance.now() - startedAtMs });
    });
    void writeAll(socket, [head, ...body]);
  });
}

/** Sends all of them, so many at a time. */
export async function sendRequests(
  port: number,
  requests: Iterable<RawRequest>,
  connections: number,
): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  const waiting = requests[Symbol.iterator]();
  async function sendOn(): Promise<void> {
    for (let next = waiting.next(); next.done !== true; next = waiting.next())
      answers.push(await sendRequest(port, next.value));
  }
  await Promise.all(Array.from({ length: connections }, sendOn));
  return answers;
}

/** Writes pieces no faster than they are taken. */
export async function writeAll(socket: Socket, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (socket.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        socket.off("drain", goOn).off("close", goOn);
        resolve();
      };
      socket.on("drain", goOn).on("close", goOn);
    });
  }
}
