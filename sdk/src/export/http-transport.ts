import { openConnection, RequestError, type HttpConnection } from "./http-connection.js";
import type { HttpResponse } from "./http-response.js";
import type { Proxy } from "./proxy.js";
import type { RequestBody } from "./request-body.js";
import {
  basicAuthorization,
  MAX_REDIRECTS,
  redirectOf,
  type Transport,
  type TransportOptions,
} from "./transport.js";

/**
 * Creates a transport that speaks HTTP/1.1 over one kept-alive connection. No request keeps the process alive.
 *
 * It uses sockets and not `node:http`, because a POST of which only the status is read costs an app less CPU that way
 * (figures in docs/performance.md). If the end of a response is unclear, the connection is closed; the status still counts.
 */
export function createTransport(
  { url, headers, timeoutMs }: TransportOptions,
  proxy?: Proxy,
): Transport<RequestBody> {
  let connection: HttpConnection | undefined;
  let followedSignal: AbortSignal | undefined;
  // To a proxy, a request names its whole address. Through a tunnel it does not: the tunnel ends at the collector.
  const isForwarded = proxy !== undefined && url.protocol === "http:";
  const fixedHeaders = fixedHeadersOf(url, {
    ...headers,
    ...(isForwarded && proxy.authorization !== undefined && { "Proxy-Authorization": proxy.authorization }),
  });
  const requestLineOf = ({ origin, pathname, search }: URL) =>
    `POST ${isForwarded ? origin : ""}${pathname}${search} HTTP/1.1\r\n`;
  const requestLine = requestLineOf(url);

  async function post(body: RequestBody, signal: AbortSignal): Promise<HttpResponse> {
    followSignal(signal);
    const headers = `${fixedHeaders}${body.isGzip ? "Content-Encoding: gzip\r\n" : ""}Content-Length: ${body.length}\r\n\r\n`;
    let target = url;
    for (let redirects = 0; ;) {
      if (connection?.isOpen !== true) connection = await openConnection(target, timeoutMs, proxy, signal);
      if (signal.aborted) throw new RequestError("aborted", false);
      try {
        const line = target === url ? requestLine : requestLineOf(target);
        const response = await connection.exchange(body.after(line + headers));
        const next = redirectOf(response.status, response.location, target);
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

/** The header lines that are the same for every request. */
function fixedHeadersOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = [`Host: ${url.host}`, "Content-Type: application/json", "Connection: keep-alive"];
  const authorization = basicAuthorization(url);
  if (authorization !== undefined) lines.push(`Authorization: ${authorization}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join("\r\n")}\r\n`;
}
