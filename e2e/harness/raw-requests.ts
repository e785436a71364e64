import { connect, type Socket } from "node:net";
import { pause } from "./until.js";

/** A request as bytes, prepared once and sent any number of times at no cost. */
export interface RawRequest {
  readonly head: Buffer;
  /** Pieces, sent in order. */
  readonly body: readonly Uint8Array[];
}

/** Options of {@link rawRequest}. */
export interface RawRequestOptions {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: readonly Uint8Array[];
  /** Default: false; the server closes the connection after the response. */
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

/** The response to a raw request. */
export interface RawAnswer {
  /** 0 if the connection closed without a response, or at the timeout. */
  readonly status: number;
  readonly bytes: number;
  /** The first bytes. */
  readonly start: string;
  readonly tookMs: number;
}

/** Characters kept of a response. */
const KEPT_LENGTH = 4096;
const ANSWER_WITHIN_MS = 60_000;

/** Sends a request on its own connection and keeps the beginning of the response. Never rejects. */
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

/** Times that {@link sendAsRetryAfterSays} sends a request. */
const MAX_ATTEMPTS = 10;

/**
 * Sends a request again after each 503 with a Retry-After, when that has passed.
 *
 * @returns all responses, in order.
 */
export async function sendAsRetryAfterSays(port: number, request: RawRequest): Promise<RawAnswer[]> {
  const responses: RawAnswer[] = [];
  while (responses.length < MAX_ATTEMPTS) {
    const answer = await sendRequest(port, request);
    responses.push(answer);
    const retryAfter = /^Retry-After: (\d+)\r?$/im.exec(answer.start)?.[1];
    if (answer.status !== 503 || retryAfter === undefined) break;
    await pause(Number(retryAfter) * 1000);
  }
  return responses;
}

/** Sends requests with a limited concurrency. */
export async function sendRequests(
  port: number,
  requests: Iterable<RawRequest>,
  connections: number,
): Promise<RawAnswer[]> {
  const responses: RawAnswer[] = [];
  const waiting = requests[Symbol.iterator]();
  async function sendOn(): Promise<void> {
    for (let next = waiting.next(); next.done !== true; next = waiting.next())
      responses.push(await sendRequest(port, next.value));
  }
  await Promise.all(Array.from({ length: connections }, sendOn));
  return responses;
}

/** Writes pieces with backpressure. */
export async function writeAll(socket: Socket, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (socket.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const onWritable = (): void => {
        socket.off("drain", onWritable).off("close", onWritable);
        resolve();
      };
      socket.on("drain", onWritable).on("close", onWritable);
    });
  }
}
