import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";

/**
 * Refuses a request with several Host headers (RFC 9112, section 3.2). Node keeps the first one, and a proxy before the collector
 * may have checked another one.
 *
 * @throws `ApiError` invalid_http.
 */
export function requireOneHost({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): void {
  let hosts = 0;
  // Names and values alternate.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === HOST.length && name.toLowerCase() === HOST && ++hosts > 1)
      throw new ApiError("invalid_http", "The request has more than one Host header.");
  }
}

const HOST = "host";
