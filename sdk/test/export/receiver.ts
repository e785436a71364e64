import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import type { SpanBatch } from "../../src/wire/index.js";

/** A received request. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Size of the body as it was sent. */
  readonly bytes: number;
  readonly batch: SpanBatch;
  readonly atMs: number;
}

/** Responds to a request that was read. */
export type Reply = (response: ServerResponse, request: ReceivedRequest, socket: Socket) => void;

/** Responds with a status. The collector responds with 202. */
export function answer(status: number, headers: Record<string, string> = {}, body = "{}"): Reply {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** A reply with status 202 after a time, and how many requests waited for it at most at the same time. */
export function lateAnswer(delayMs: number): { readonly reply: Reply; readonly most: () => number } {
  let open = 0;
  let most = 0;
  const reply: Reply = (response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      response.writeHead(202).end();
    }, delayMs);
  };
  return { reply, most: () => most };
}

/** A real HTTP server instead of the collector, with configurable replies. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  connections = 0;
  /** One for each request; the last one repeats. */
  replies: Reply[] = [answer(202)];
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const isGzip = request.headers["content-encoding"] === "gzip";
      const received: ReceivedRequest = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        bytes: body.length,
        batch: JSON.parse((isGzip ? gunzipSync(body) : body).toString()) as SpanBatch,
        atMs: performance.now(),
      };
      this.requests.push(received);
      const reply = this.replies.length > 1 ? this.replies.shift() : this.replies[0];
      reply?.(response, received, request.socket);
    });
  });

  /** Listens on a port; 0 is any free port. */
  async start(port = 0): Promise<void> {
    this.#server.on("connection", (socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The names of all received spans, in order. */
  get names(): string[] {
    return this.requests.flatMap(({ batch }) => batch.spans.map(({ name }) => name));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Starts a receiver that stops when the test ends. */
export async function startReceiver(...replies: Reply[]): Promise<Receiver> {
  const receiver = new Receiver();
  if (replies.length > 0) receiver.replies = replies;
  await receiver.start();
  onTestFinished(() => receiver.stop().catch(() => undefined));
  return receiver;
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const receiver = new Receiver();
  await receiver.start();
  const { port } = receiver;
  await receiver.stop();
  return port;
}
