import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { constants, createServer as createHttp2Server, type Http2ServerResponse } from "node:http2";
import { isDeepStrictEqual } from "node:util";
import type { Exchange } from "./exchange.js";

/** How the body of a response is cut into pieces. */
export type Split =
  /** One piece. */
  | "whole"
  /** One event at a time, as providers send them. */
  | "events"
  /** Two events in a piece. */
  | "event-pairs"
  /** One byte at a time, which splits every multi-byte character. */
  | "bytes"
  /** Pieces of 7 bytes, which match no boundary. */
  | "odd";

/** How the server delivers a recorded response. */
export interface Delivery {
  /** Default: `events` for a stream, `whole` otherwise. */
  readonly split?: Split;
  /** Headers in addition to the recorded ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before the status and the headers are sent. The server waits for its promise. */
  readonly beforeHeaders?: () => Promise<void>;
  /** Called before each piece, or before the break. The server waits for its promise. */
  readonly beforePiece?: (position: number) => Promise<void> | void;
  /** After this number of pieces, `reset` resets the connection, and `end` ends the body as if it were complete. */
  readonly breakOff?: { readonly afterPieces: number; readonly how: "reset" | "end" };
}

/** A request that arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
  /** Resolves when the client closes the connection before the response is sent. */
  readonly abandoned: Promise<void>;
}

/** Responds to real HTTP requests with recorded exchanges. */
export interface ReplayServer {
  readonly url: string;
  /** All requests so far. */
  readonly requests: readonly ReceivedRequest[];
  /** Prepares the response for one request with the method, path and body of an exchange, in order. */
  expect(exchange: Exchange, delivery?: Delivery): void;
  /** Like {@link ReplayServer.expect}, for any number of requests. */
  always(exchange: Exchange, delivery?: Delivery): void;
  /** Removes all prepared responses. */
  reset(): void;
  close(): Promise<void>;
}

/** Fields that the client or its wrapper adds to a request. */
const ADDED_FIELDS = ["stream_options", "encoding_format"];

interface PreparedResponse {
  readonly exchange: Exchange;
  readonly delivery: Delivery;
  readonly once: boolean;
}

/**
 * Starts a replay server on a free port of 127.0.0.1.
 *
 * @param protocol - `http2` without TLS is what Amazon's client uses for an address that starts with `http:`.
 */
export async function startReplayServer(protocol: "http1" | "http2" = "http1"): Promise<ReplayServer> {
  const requests: ReceivedRequest[] = [];
  let prepared: PreparedResponse[] = [];

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void answer(request, response).catch(() => response.destroy());
  };
  const connections = new Set<{ destroy(): void }>();
  // The compatibility API of node:http2 has the same requests and responses.
  const server =
    protocol === "http2" ? createHttp2Server(handle as unknown as () => void) : createServer(handle);
  server.on("connection", (connection: { destroy(): void }) => connections.add(connection));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const abandoned = new Promise<void>((resolve) => {
      response.once("close", () => {
        if (!response.writableFinished) resolve();
      });
    });
    const body = await readJson(request);
    const { method = "", url: path = "", headers } = request;
    requests.push({ method, path, headers, body, abandoned });
    const found = prepared.find(({ exchange }) => matches(exchange, method, path, body));
    if (found === undefined) {
      refuse(response, `Nothing is recorded for ${method} ${path} with this body.`);
      return;
    }
    if (found.once) prepared = prepared.filter((other) => other !== found);
    await send(response, found.exchange, found.delivery);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The replay server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    expect: (exchange, delivery = {}) => void prepared.push({ exchange, delivery, once: true }),
    always: (exchange, delivery = {}) => void prepared.push({ exchange, delivery, once: false }),
    reset: () => void (prepared = []),
    async close() {
      for (const connection of connections) connection.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function matches(exchange: Exchange, method: string, path: string, body: unknown): boolean {
  return (
    exchange.request.method.toUpperCase() === method &&
    samePath(exchange.request.path, path) &&
    // One exchange was recorded without its request.
    (exchange.request.body === null || isDeepStrictEqual(comparable(exchange.request.body), comparable(body)))
  );
}

/** Compares query parameters too. */
function samePath(recorded: string, sent: string): boolean {
  const [left, right] = [recorded, sent].map((path) => new URL(path, "http://host"));
  return (
    left?.pathname === right?.pathname && left?.searchParams.toString() === right?.searchParams.toString()
  );
}

function comparable(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => !ADDED_FIELDS.includes(key)));
}

async function send(
  response: ServerResponse,
  { response: recorded }: Exchange,
  delivery: Delivery,
): Promise<void> {
  const { raw } = recorded;
  const isStream = recorded.sse !== null || raw !== undefined;
  const body =
    raw === undefined
      ? Buffer.from(recorded.sse ?? JSON.stringify(recorded.body))
      : Buffer.from(raw.text, raw.encoding);
  const { breakOff, split = isStream ? "events" : "whole" } = delivery;
  if (response.req.httpVersionMajor === 1) response.socket?.setNoDelay(true);
  await delivery.beforeHeaders?.();
  response.writeHead(recorded.status, {
    ...recorded.headers,
    "x-request-id": "req_replayed",
    ...delivery.headers,
  });
  response.flushHeaders();
  for (const [position, piece] of pieces(body, split).entries()) {
    await delivery.beforePiece?.(position);
    if (response.destroyed) return;
    if (position === breakOff?.afterPieces) {
      if (breakOff.how === "end") response.end();
      else resetConnection(response);
      return;
    }
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

function resetConnection(response: ServerResponse): void {
  if (response.req.httpVersionMajor === 1) response.socket?.resetAndDestroy();
  else (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/** Resolves when the response accepts more data, or is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

function pieces(body: Buffer, split: Split): Buffer[] {
  switch (split) {
    case "whole":
      return [body];
    case "bytes":
      return inPiecesOf(body, 1);
    case "odd":
      return inPiecesOf(body, 7);
    case "events":
    case "event-pairs": {
      const events = eventsOf(body);
      const size = split === "events" ? 1 : 2;
      const groups: Buffer[] = [];
      for (let start = 0; start < events.length; start += size) {
        groups.push(Buffer.concat(events.slice(start, start + size)));
      }
      return groups;
    }
  }
}

/** The events of a body: server-sent events, lines of JSON, or the frames of Amazon's event stream. */
function eventsOf(body: Buffer): Buffer[] {
  if (body[0] !== 0) {
    const separator = body[0] === 0x7b ? /(?<=\n)/ : /(?<=\n\n)/;
    return body
      .toString("utf8")
      .split(separator)
      .map((event) => Buffer.from(event));
  }
  const frames: Buffer[] = [];
  for (let start = 0; start < body.length;) {
    const end = start + body.readUInt32BE(start);
    frames.push(body.subarray(start, end));
    start = end;
  }
  return frames;
}

function inPiecesOf(body: Buffer, size: number): Buffer[] {
  const cut: Buffer[] = [];
  for (let start = 0; start < body.length; start += size) cut.push(body.subarray(start, start + size));
  return cut;
}

/** Responds with a status that the client does not retry, and a reason in the error that it throws. */
function refuse(response: ServerResponse, message: string): void {
  response.writeHead(422, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type: "replay_mismatch" } }));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  request.setEncoding("utf8");
  for await (const piece of request) text += piece as string;
  return text === "" ? null : (JSON.parse(text) as unknown);
}
