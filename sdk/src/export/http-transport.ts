import type { Socket } from "node:net";
import { readAnswer, type RawAnswer } from "./raw-answer.js";
import { withoutTracing } from "./without-tracing.js";

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Sends one body. Rejects where no answer came: refused, reset, timed out, aborted. */
export interface Transport {
  post(body: Uint8Array | string, isGzip: boolean, signal: AbortSignal): Promise<Answer>;
  /** Closes the idle connection. */
  close(): void;
}

/** What a transport needs. */
export interface TransportOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole request, the answer included. */
  readonly timeoutMs: number;
}

const MAX_REDIRECTS = 3;
/** A redirect that keeps the method; browsers' habit of turning a POST into a GET is not followed. */
const REDIRECTS = new Set([301, 302, 307, 308]);

/** A request that failed: a code of the system, or `timeout`, `aborted`, `not HTTP`. */
class RequestError extends Error {
  constructor(
    readonly code: string,
    /** The server has closed an idle connection just as it was used again: no failure of the server's. */
    readonly isStale: boolean,
  ) {
    super(code);
  }
}

/**
 * HTTP/1.1 over one connection that is kept alive. No request keeps the process alive by itself.
 *
 * Plain sockets and not `node:http`: a POST of which only the status is read costs an app less CPU that way, and
 * `node:http` need not be loaded. What is not understood of an answer's end costs the connection, never a status.
 */
export function createTransport({ url, headers, timeoutMs }: TransportOptions): Transport {
  let idle: Socket | undefined;
  const fixedHead = headOf(url, headers);

  async function postTo(
    target: URL,
    body: Uint8Array,
    isGzip: boolean,
    signal: AbortSignal,
    redirects: number,
  ): Promise<Answer> {
    const isReused = idle !== undefined;
    const socket = idle ?? (await openWatched(target));
    idle = undefined;
    const head = `POST ${target.pathname}${target.search} HTTP/1.1\r\n${fixedHead}${
      isGzip ? "Content-Encoding: gzip\r\n" : ""
    }Content-Length: ${body.length}\r\n\r\n`;
    let answer: RawAnswer;
    try {
      answer = await exchange(socket, isReused, head, body, signal);
    } catch (error) {
      if (error instanceof RequestError && error.isStale)
        return postTo(target, body, isGzip, signal, redirects);
      throw error;
    }
    const { status, location } = answer;
    if (REDIRECTS.has(status) && location !== undefined && URL.canParse(location, target.href)) {
      const next = new URL(location, target);
      if (next.origin === target.origin && redirects < MAX_REDIRECTS)
        return postTo(next, body, isGzip, signal, redirects + 1);
    }
    return answer;
  }

  /** Writes a request and reads its answer; afterwards the connection is idle, or closed. */
  function exchange(
    socket: Socket,
    isReused: boolean,
    head: string,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      let received = "";
      const timer = setTimeout(() => end("timeout"), timeoutMs);
      timer.unref();
      const onAbort = () => end("aborted");
      const onError = (error: NodeJS.ErrnoException) => end(error.code ?? error.name);
      const onClose = () => end("ECONNRESET");
      const onData = (chunk: string) => {
        received += chunk;
        const answer = readAnswer(received);
        if (answer === "not HTTP") end(answer);
        else if (answer?.isWhole) end(undefined, answer);
      };
      socket.on("data", onData).on("error", onError).on("close", onClose);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) {
        onAbort();
        return;
      }
      socket.write(Buffer.concat([Buffer.from(head, "latin1"), body]));

      function end(failure: string | undefined, whole?: RawAnswer): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        socket.off("data", onData).off("error", onError).off("close", onClose);
        if (whole?.isReusable === true && !socket.destroyed) idle = socket;
        else socket.destroy();
        // A status that has come stands, however the rest of the answer ends.
        const answer = whole ?? readAnswer(received);
        if (answer !== undefined && answer !== "not HTTP") resolve(answer);
        else {
          const isClosed = failure === "ECONNRESET" || failure === "EPIPE";
          reject(new RequestError(failure ?? "not HTTP", isReused && isClosed && received === ""));
        }
      }
    });
  }

  /** Opens a connection that is let go of when, idle, it is closed, breaks, or says something that nobody asked for. */
  async function openWatched(target: URL): Promise<Socket> {
    const socket = await open(target);
    const drop = () => {
      if (idle !== socket) return;
      idle = undefined;
      socket.destroy();
    };
    for (const event of ["close", "error", "data", "end"]) socket.on(event, drop);
    return socket;
  }

  return {
    post(body, isGzip, signal) {
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      return withoutTracing(() => postTo(url, bytes, isGzip, signal, 0));
    },
    close() {
      idle?.destroy();
    },
  };
}

/** The headers that every request of a transport has. */
function headOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = [`Host: ${url.host}`, "Content-Type: application/json", "Connection: keep-alive"];
  if (url.username !== "" || url.password !== "") {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    lines.push(`Authorization: Basic ${Buffer.from(credentials).toString("base64")}`);
  }
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join("\r\n")}\r\n`;
}

/** Opens a connection; failures come as events of the socket. */
async function open(url: URL): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isSecure = url.protocol === "https:";
  const port = Number(url.port || (isSecure ? 443 : 80));
  const net = await import("node:net");
  let socket: Socket;
  if (isSecure) {
    const tls = await import("node:tls");
    socket = tls.connect({ host, port, ...(net.isIP(host) === 0 ? { servername: host } : {}) });
  } else socket = net.connect({ host, port });
  return socket.setNoDelay(true).setEncoding("latin1").unref();
}
