import * as net from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import { parseResponse, type HttpResponse } from "./http-response.js";
import { hostOf, portOf, type Proxy } from "./proxy.js";

/** A failed request. `code` is an error code of the system, or `timeout`, `aborted`, `not HTTP`. */
export class RequestError extends Error {
  constructor(
    readonly code: string,
    /** True if the server closed an idle connection just when it was used again. This is not a failure of the server. */
    readonly isStale: boolean,
  ) {
    super(code);
  }
}

/** Bytes of a response that are read at once. */
const READ_BYTES = 4096;
/** Longest response that is kept to compare the next one with it, in characters. */
const MAX_KEPT_LENGTH = 1024;

/**
 * Opens a connection, directly or through a proxy. If a direct connection fails, the first exchange rejects. Rejects if the
 * proxy opens no tunnel, or if the signal aborts before it does.
 */
export async function openConnection(
  url: URL,
  timeoutMs: number,
  proxy: Proxy | undefined,
  signal: AbortSignal,
): Promise<HttpConnection> {
  const isTunnel = proxy !== undefined && url.protocol === "https:";
  const server = proxy?.url ?? url;
  const tls = isTunnel || server.protocol === "https:" ? await import("node:tls") : undefined;
  const connect = (onread?: ReadTarget): net.Socket => {
    const target = { host: hostOf(server), port: portOf(server), ...(onread && { onread }) };
    return tls === undefined || server.protocol !== "https:"
      ? net.connect(target)
      : tls.connect({ ...target, ...serverName(server) });
  };
  if (!isTunnel || tls === undefined) return new HttpConnection(connect, timeoutMs);
  const { openTunnel } = await import("./proxy-tunnel.js");
  const socket = connect();
  await openTunnel(socket, url, proxy, { timeoutMs, signal });
  return new HttpConnection((onread) => {
    const secured = tls.connect({ socket, ...serverName(url) });
    // A socket over another one ignores `onread`.
    return secured.on("data", (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += READ_BYTES)
        onread.callback(chunk.copy(onread.buffer, 0, at, at + READ_BYTES));
    });
  }, timeoutMs);
}

function serverName(url: URL): { readonly servername?: string } {
  const host = hostOf(url);
  return net.isIP(host) === 0 ? { servername: host } : {};
}

/** Where a socket puts the bytes that it reads, and what it calls then. */
interface ReadTarget {
  readonly buffer: Buffer;
  callback(byteCount: number): boolean;
}

/**
 * A connection that carries one request after the other. It has one timer for all requests, and reads from the socket
 * without the stream machinery: adding and removing listeners for each request would cost more than the JSON of a batch.
 */
export class HttpConnection {
  readonly #socket: net.Socket;
  readonly #timer: NodeJS.Timeout;
  #isUsed = false;
  #received = "";
  /** The last complete response and its text: the next one is often the same, and is not parsed again then. */
  #last: { readonly text: string; readonly response: HttpResponse } | undefined;
  /** Ends the running exchange. */
  #finish: ((failure: string | undefined, response?: HttpResponse) => void) | undefined;

  /** @param timeoutMs - for each exchange. */
  constructor(connect: (onread: ReadTarget) => net.Socket, timeoutMs: number) {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    this.#socket = connect({ buffer, callback: (count) => this.#read(buffer.toString("latin1", 0, count)) })
      .setNoDelay(true)
      .unref()
      .on("error", (error: NodeJS.ErrnoException) => this.fail(error.code ?? error.name))
      .on("close", () => this.fail("ECONNRESET"))
      .on("end", () => {
        if (this.#finish === undefined) this.close();
      });
    // Each exchange restarts the timer. If it fires without an exchange, it does nothing.
    this.#timer = setTimeout(() => this.fail("timeout"), timeoutMs).unref();
  }

  /** True if the connection can take another request. */
  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /**
   * Writes a request and reads its response. The connection is idle or closed afterwards. Rejects with a
   * {@link RequestError} if no response came.
   */
  exchange(request: Uint8Array): Promise<HttpResponse> {
    const socket = this.#socket;
    const isReused = this.#isUsed;
    this.#isUsed = true;
    this.#received = "";
    this.#timer.refresh();
    return new Promise((resolve, reject) => {
      this.#finish = (failure, complete) => {
        this.#finish = undefined;
        // Also if the response came before the request was written: the memory of the body is reused.
        if (complete?.isReusable !== true || socket.writableLength > 0) this.close();
        // A status that was received counts, even if the rest of the response is missing.
        const response = complete ?? parseResponse(this.#received);
        if (response !== undefined && response !== "not HTTP") resolve(response);
        else {
          const isClosed = failure === "ECONNRESET" || failure === "EPIPE";
          const isStale = isReused && isClosed && this.#received === "";
          reject(new RequestError(failure ?? "not HTTP", isStale));
        }
      };
      socket.write(request);
    });
  }

  /** Ends the running exchange with a failure. */
  fail(code: string): void {
    this.#finish?.(code);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }

  #read(chunk: string): boolean {
    this.#received += chunk;
    // Bytes without a request are no response to anything.
    const response = this.#finish === undefined ? "not HTTP" : this.#parse(this.#received);
    if (response === "not HTTP") {
      this.fail(response);
      this.close();
    } else if (response?.isComplete === true) this.#finish?.(undefined, response);
    return true;
  }

  #parse(text: string): HttpResponse | "not HTTP" | undefined {
    if (text === this.#last?.text) return this.#last.response;
    const response = parseResponse(text);
    if (typeof response === "object" && response.isReusable && text.length <= MAX_KEPT_LENGTH)
      this.#last = { text, response };
    return response;
  }
}
