import type { IncomingMessage, ServerResponse } from "node:http";

/** Adds the CORS headers for an allowed origin; true if the request was a preflight, which is then complete. */
export type AddCors = (request: IncomingMessage, response: ServerResponse, allowedOrigin: string) => boolean;

/** Request headers of senders, of the UI, and of clients of MCP. */
const REQUEST_HEADERS = [
  "Content-Type",
  "Content-Encoding",
  "X-API-Key",
  "Authorization",
  "MCP-Protocol-Version",
  "MCP-Session-Id",
  "Mcp-Method",
  "Mcp-Name",
];

/**
 * CORS for pages of `server.allowed_origins` (contract 5). Pages may name their tenant, also if the collector ignores it, and
 * read how long to wait after a 429 or a 503.
 *
 * @param tenantHeader - `multi_tenant.header_name`.
 */
export function createCors(tenantHeader: string): AddCors {
  const requestHeaders = [...REQUEST_HEADERS, tenantHeader].join(", ");
  return (request, response, allowedOrigin) => {
    response.setHeader("Access-Control-Allow-Origin", allowedOrigin);
    response.setHeader("Vary", "Origin");
    response.setHeader("Access-Control-Expose-Headers", "Retry-After");
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined)
      return false;
    response.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
    response.setHeader("Access-Control-Allow-Headers", requestHeaders);
    response.setHeader("Access-Control-Max-Age", "600");
    response.writeHead(204).end();
    return true;
  };
}
