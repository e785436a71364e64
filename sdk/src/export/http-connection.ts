import * as net from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import { readAnswer, type RawAnswer } from "./raw-answer.js";

/** A request that failed: a code of the system, or `timeout`, `aborted`, `not HTTP`. */
export class RequestError extends Error {
  constructor(
    readonly code: string,
    /** The server has closed an idle connection just as it was used again: no failure of the server's. */
    readonly isStale: boolean,
  ) {
    super(code);
  }
}

/** Most of an answer that is read at once. */
const READ_BYTES = 4096;

/** Opens a connection; where that fails, its first exchange does. */
export async function openConnection(url: URL, timeoutMs: number): Promise<HttpConnection> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isSecure = url.protocol === "https:";
  const tls = isSecure ? await import("node:tls") : undefined;
  return new HttpConnection((onread) => {
    const target = { host, port: Number(url.port || (isSecure ? 443 : 80)), onread };
    if (tls === undefined) return net.connect(target);
    return tls.connect({ ...target, ...(net.isIP(host) === 0 ? { servername: host } : {}) });
  }, timeoutMs);
}

/** Where the bytes of an answer are put, and who is told. */
interface ReadInto {
  readonly buffer: Buffer;
  callback(byteCount: number): boolean;
}

/**
 * One connection that carries one request after the other. It has one timer for all of them, and listens to its socket once,
 * past the stream machinery: adding and removing listeners for each would cost a batch more than its JSON.
 */
export class HttpConnection {
  readonly #socket: net.Socket;
  readonly #timer: NodeJS.Timeout;
  #isUsed = false;
  #received = "";
  /** Ends the exchange that is under way. */
  #end: ((failure: string | undefined, whole?: RawAnswer) => void) | undefined;

  /** @param timeoutMs - for each exchange. */
  constructor(connect: (onread: ReadInto) => net.Socket, timeoutMs: number) {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    this.#socket = connect({ buffer, callback: (count) => this.#read(buffer.toString("latin1", 0, count)) })
      .setNoDelay(true)
      .unref()
      .on("error", (error: NodeJS.ErrnoException) => this.fail(error.code ?? error.name))
      .on("close", () => this.fail("ECONNRESET"))
      .on("end", () => {
        if (this.#end === undefined) this.close();
      });
    // Each exchange winds it up; when it is due after the last, there is nothing to end.
    this.#timer = setTimeout(() => this.fail("timeout"), timeoutMs).unref();
  }

  /** It can take another request. */
  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /**
   * Writes a request and reads its answer; afterwards the connection is idle, or closed. Rejects with a
   * {@link RequestError} where no answer came.
   */
  exchange(request: Uint8Array): Promise<RawAnswer> {
    const socket = this.#socket;
    const isReused = this.#isUsed;
    this.#isUsed = true;
    this.#received = "";
    this.#timer.refresh();
    return new Promise((resolve, reject) => {
      this.#end = (failure, whole) => {
        this.#end = undefined;
        // An answer that came before the request was out: the body's bytes are not the connection's to keep.
        if (whole?.isReusable !== true || socket.writableLength > 0) this.close();
        // A status that has come stands, however the rest of the answer ends.
        const answer = whole ?? readAnswer(this.#received);
        if (answer !== undefined && answer !== "not HTTP") resolve(answer);
        else {
          const isClosed = failure === "ECONNRESET" || failure === "EPIPE";
          const isStale = isReused && isClosed && this.#received === "";
          reject(new RequestError(failure ?? "not HTTP", isStale));
        }
      };
      socket.write(request);
    });
  }

  /** Gives up the exchange that is under way, if any. */
  fail(code: string): void {
    this.#end?.(code);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }

  #read(chunk: string): boolean {
    this.#received += chunk;
    const answer = this.#end === undefined ? "not HTTP" : readAnswer(this.#received);
    // Nobody has asked, or it is no answer.
    if (answer === "not HTTP") {
      this.fail(answer);
      this.close();
    } else if (answer?.isWhole === true) this.#end?.(undefined, answer);
    return true;
  }
}
