/** What the exporter needs of an HTTP/1.1 response: its status, and where it ends. */
export interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** True if the response has ended, or no more of it is needed. */
  readonly isComplete: boolean;
  /** True if the connection can take another request, because it is certain where the response ended. */
  readonly isReusable: boolean;
}

const HEADERS = {
  contentLength: headerPattern("content-length"),
  transferEncoding: headerPattern("transfer-encoding"),
  connection: headerPattern("connection"),
  retryAfter: headerPattern("retry-after"),
  location: headerPattern("location"),
};
/** Longest status line with headers, in bytes, together with the informational responses before it. */
const MAX_HEAD_LENGTH = 16_384;
/** Longest body that is read to its end, in bytes: only the status is used. */
const MAX_BODY_LENGTH = 65_536;

/**
 * Parses the part of a response that has been received, one character a byte.
 *
 * @returns undefined until the status is known.
 */
export function parseResponse(received: string): HttpResponse | "not HTTP" | undefined {
  let headStart = 0;
  for (;;) {
    const headEnd = received.indexOf("\r\n\r\n", headStart);
    if (headEnd < 0 || headEnd > MAX_HEAD_LENGTH) {
      const isHttp =
        received.length <= MAX_HEAD_LENGTH && "HTTP/1.".startsWith(received.slice(headStart, headStart + 7));
      return isHttp ? undefined : "not HTTP";
    }
    const head = received.slice(headStart, headEnd);
    const [, minor, digits] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/m.exec(head.slice(0, 20)) ?? [];
    if (digits === undefined) return "not HTTP";
    const status = Number(digits);
    headStart = headEnd + 4;
    // Informational responses such as 100 Continue come before the response.
    if (status >= 200) return readResponse(received, { head, bodyStart: headStart, minor, status });
  }
}

function readResponse(
  received: string,
  {
    head,
    bodyStart,
    minor,
    status,
  }: { head: string; bodyStart: number; minor: string | undefined; status: number },
): HttpResponse {
  const header = (name: keyof typeof HEADERS) => HEADERS[name].exec(head)?.[1]?.trim();
  const bodyLength = received.length - bodyStart;
  const end = bodyEnd(status, header("contentLength"), header("transferEncoding"), received, bodyLength);
  const isKeptAlive = minor === "1" && header("connection")?.toLowerCase() !== "close";
  return {
    status,
    retryAfter: header("retryAfter"),
    location: header("location"),
    isComplete: end !== "not yet" || bodyLength > MAX_BODY_LENGTH,
    isReusable: end === "here" && isKeptAlive,
  };
}

/** Whether the body ends with the received bytes. `unknown` means that only the end of the connection can tell. */
function bodyEnd(
  status: number,
  contentLength: string | undefined,
  transferEncoding: string | undefined,
  received: string,
  bodyLength: number,
): "here" | "not yet" | "unknown" {
  if (status === 204 || status === 304) return bodyLength === 0 ? "here" : "unknown";
  if (transferEncoding !== undefined) {
    if (transferEncoding.toLowerCase() !== "chunked") return "unknown";
    return /\r\n0+\r\n\r\n$/.test(received.slice(-20)) ? "here" : "not yet";
  }
  if (contentLength === undefined || !/^\d+$/.test(contentLength)) return "unknown";
  const missing = Number(contentLength) - bodyLength;
  return missing > 0 ? "not yet" : missing === 0 ? "here" : "unknown";
}

function headerPattern(name: string): RegExp {
  return new RegExp(`\\r\\n${name}:[ \\t]*([^\\r\\n]*)`, "i");
}
