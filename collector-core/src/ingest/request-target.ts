import type { IncomingMessage } from "node:http";

/**
 * Gives a request whose target is a whole URL the path and the Host of that URL. The host of the target wins over the Host header
 * (RFC 9112, section 3.2.2): a proxy before the collector has checked that one.
 */
export function resolveTarget(request: Pick<IncomingMessage, "url" | "headers">): void {
  const { url = "/" } = request;
  if (url.startsWith("/")) return;
  const [origin, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (origin === undefined) return;
  const path = url.slice(origin.length);
  request.headers.host = host;
  request.url = path.startsWith("/") ? path : `/${path}`;
}
