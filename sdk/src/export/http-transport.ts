import { openConnection, RequestError, type HttpConnection } from "./http-connection.js";
import type { HttpResponse } from "./http-response.js";
import type { RequestBody } from "./request-body.js";

/** What the exporter uses of a response. */
export interface TransportResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Sends one body at a time. */
export interface Transport {
  /**
   * Rejects if no response came: refused, reset, timed out or aborted. The memory of the body may be reused once this has
   * settled.
   */
  post(body: RequestBody, signal: AbortSignal): Promise<TransportResponse>;
  /** Closes the idle connection. */
  close(): void;
}

/** Where a transport sends, and how. */
export interface TransportOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole request, including its response. */
  readonly timeoutMs: number;
}

const MAX_REDIRECTS = 3;
/** All of them repeat the POST. Browsers turn some into a GET; that would lose the batch. */
const REDIRECTS = new Set([301, 302, 307, 308]);

/**
 * Creates a transport that speaks HTTP/1.1 over one kept-alive connection. No request keeps the process alive.
 *
 * It uses sockets and not `node:http`, because a POST of which only the status is read costs an app less CPU that way
 * (figures in docs/performance.md). If the end of a response is unclear, the connection is closed; the status still counts.
 */
export function createTransport({ url, headers, timeoutMs }: TransportOptions): Transport {
  let connection: HttpConnection | undefined;
  let followedSignal: AbortSignal | undefined;
  const fixedHeaders = fixedHeadersOf(url, headers);

  async function post(body: RequestBody, signal: AbortSignal): Promise<HttpResponse> {
    followSignal(signal);
    const headers = `${fixedHeaders}${body.isGzip ? "Content-Encoding: gzip\r\n" : ""}Content-Length: ${body.length}\r\n\r\n`;
    let target = url;
    for (let redirects = 0; ;) {
      if (connection?.isOpen !== true) connection = await openConnection(target, timeoutMs);
      if (signal.aborted) throw new RequestError("aborted", false);
      try {
        const head = `POST ${target.pathname}${target.search} HTTP/1.1\r\n${headers}`;
        const response = await connection.exchange(body.after(head));
        const next = redirectOf(response, target);
        if (next === undefined || redirects++ >= MAX_REDIRECTS) return response;
        target = next;
      } catch (error) {
        if (!(error instanceof RequestError && error.isStale)) throw error;
      }
    }
  }

  /** One listener per signal: adding and removing one per request would cost as much as reading a response. */
  function followSignal(signal: AbortSignal): void {
    if (signal === followedSignal) return;
    followedSignal = signal;
    signal.addEventListener("abort", () => connection?.fail("aborted"), { once: true });
  }

  return {
    post,
    close() {
      connection?.close();
    },
  };
}

/** The target of a redirect; undefined if there is none, or if it leads to another origin. */
function redirectOf({ status, location }: HttpResponse, target: URL): URL | undefined {
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, target.href))
    return undefined;
  const next = new URL(location, target);
  return next.origin === target.origin ? next : undefined;
}

/** The header lines that are the same for every request. */
function fixedHeadersOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = [`Host: ${url.host}`, "Content-Type: application/json", "Connection: keep-alive"];
  if (url.username !== "" || url.password !== "") {
    const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
    lines.push(`Authorization: Basic ${Buffer.from(credentials).toString("base64")}`);
  }
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join("\r\n")}\r\n`;
}

/** Decodes percent escapes. A password may also contain a plain percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
