import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { withoutTracing } from "./without-tracing.js";

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Sends one body. Rejects where no answer came: refused, reset, timed out, aborted. */
export interface Transport {
  post(body: Uint8Array | string, isGzip: boolean, signal: AbortSignal): Promise<Answer>;
  /** Closes idle connections. */
  close(): void;
}

/** What a transport needs. */
export interface TransportOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole request, the answer included. */
  readonly timeoutMs: number;
}

/** What `node:http` and `node:https` have in common. */
interface HttpModule {
  readonly Agent: new (options: { keepAlive: boolean; maxSockets: number }) => Agent;
  request(url: URL, options: RequestOptions): ClientRequest;
}

/** Bytes of an answer's body that are read to keep the connection; what answers more is cut off. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_REDIRECTS = 3;
/** A redirect that keeps the method; browsers' habit of turning a POST into a GET is not followed. */
const REDIRECTS = new Set([301, 302, 307, 308]);

/** HTTP on Node's own client, one connection kept alive. No request keeps the process alive by itself. */
export function createTransport({ url, headers, timeoutMs }: TransportOptions): Transport {
  let agent: Agent | undefined;

  async function postTo(
    target: URL,
    body: Uint8Array | string,
    isGzip: boolean,
    signal: AbortSignal,
    redirects: number,
  ): Promise<Answer> {
    // Loaded when the first batch goes: importing the SDK should cost next to nothing.
    const http: HttpModule = await (target.protocol === "https:"
      ? import("node:https")
      : import("node:http"));
    agent ??= new http.Agent({ keepAlive: true, maxSockets: 1 });
    const options: RequestOptions = {
      method: "POST",
      agent,
      signal,
      headers: {
        ...headers,
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        ...(isGzip ? { "Content-Encoding": "gzip" } : {}),
      },
    };
    const response = await exchange(http, target, options, body, timeoutMs);
    const { statusCode: status = 0, headers: answered } = response;
    const { location } = answered;
    if (REDIRECTS.has(status) && location !== undefined && URL.canParse(location, target.href)) {
      const next = new URL(location, target);
      if (next.origin === target.origin && redirects < MAX_REDIRECTS)
        return postTo(next, body, isGzip, signal, redirects + 1);
    }
    return { status, retryAfter: answered["retry-after"] };
  }

  return {
    async post(body, isGzip, signal) {
      try {
        return await withoutTracing(() => postTo(url, body, isGzip, signal, 0));
      } catch (error) {
        // The server has closed an idle connection just as it was used again: that is no failure of the server's.
        if (!isStaleConnection(error) || signal.aborted) throw error;
        return await withoutTracing(() => postTo(url, body, isGzip, signal, 0));
      }
    },
    close() {
      agent?.destroy();
    },
  };
}

/** A request that failed; `isReused` on a connection that had been idle. */
class RequestError extends Error {
  constructor(
    readonly code: string,
    readonly isReused: boolean,
  ) {
    super(code);
  }
}

function isStaleConnection(error: unknown): boolean {
  return (
    error instanceof RequestError && error.isReused && (error.code === "ECONNRESET" || error.code === "EPIPE")
  );
}

/** One request and its answer, read to the end as far as it is short. */
function exchange(
  http: HttpModule,
  url: URL,
  options: RequestOptions,
  body: Uint8Array | string,
  timeoutMs: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = http.request(url, options);
    const timer = setTimeout(() => outgoing.destroy(new RequestError("timeout", false)), timeoutMs);
    timer.unref();
    outgoing.once("socket", (socket) => socket.unref());
    outgoing.once("response", (response) => {
      drain(response, (isWhole) => {
        clearTimeout(timer);
        // The status stands, however the rest of the answer ends.
        if (!isWhole) outgoing.destroy();
        resolve(response);
      });
    });
    outgoing.once("close", () => clearTimeout(timer));
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(
        error instanceof RequestError
          ? error
          : new RequestError(error.code ?? error.name, outgoing.reusedSocket),
      );
    });
    outgoing.end(body);
  });
}

function drain(response: IncomingMessage, done: (isWhole: boolean) => void): void {
  let bytes = 0;
  response.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) done(false);
  });
  response.once("end", () => done(true));
  response.once("error", () => done(false));
  response.once("close", () => done(false));
}
