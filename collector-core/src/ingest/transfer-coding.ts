import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";

/** The start of a next request is unknown to whoever reads the body differently. */
const CLOSE = { Connection: "close" };

/**
 * Refuses a body whose end two readers may see in different places (RFC 9112, section 6). Node reads every list of codings that ends
 * with `chunked` as chunks alone, also in a request of HTTP/1.0.
 *
 * @throws `ApiError` invalid_http. The connection must close.
 */
export function requireKnownCoding({ headers, httpVersion }: IncomingMessage): void {
  const codings = headers["transfer-encoding"];
  if (codings === undefined) return;
  if (httpVersion === "1.0")
    throw new ApiError("invalid_http", "A request of HTTP/1.0 must not have Transfer-Encoding.", {}, CLOSE);
  const isChunked = codings
    .split(",")
    .every((coding) => ["", "chunked"].includes(coding.trim().toLowerCase()));
  if (isChunked) return;
  const shown = JSON.stringify(codings.slice(0, 64));
  throw new ApiError(
    "invalid_http",
    `Transfer-Encoding must be chunked, got ${shown}. Name a compression in Content-Encoding.`,
    {},
    CLOSE,
  );
}
