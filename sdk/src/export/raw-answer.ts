/** As much of an HTTP/1.1 answer as the exporter needs: its status, and where it ends. */
export interface RawAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** It has ended, or nothing more of it is wanted. */
  readonly isWhole: boolean;
  /** The connection can take another request: it is certain where the answer ended. */
  readonly isReusable: boolean;
}

const HEADERS = {
  contentLength: headerNamed("content-length"),
  transferEncoding: headerNamed("transfer-encoding"),
  connection: headerNamed("connection"),
  retryAfter: headerNamed("retry-after"),
  location: headerNamed("location"),
};
/** An answer's headers beyond this are no answer. */
const MAX_HEAD_LENGTH = 16_384;
/** An answer's body beyond this is cut off: only its status is of use. */
const MAX_BODY_LENGTH = 65_536;

/**
 * Reads what has come of an answer so far, one character a byte.
 *
 * @returns undefined while the status is not known.
 */
export function readAnswer(received: string): RawAnswer | "not HTTP" | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0 || headEnd > MAX_HEAD_LENGTH) {
    const isHttp = received.length <= MAX_HEAD_LENGTH && "HTTP/1.".startsWith(received.slice(0, 7));
    return isHttp ? undefined : "not HTTP";
  }
  const head = received.slice(0, headEnd);
  const [, minor, digits] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/m.exec(head.slice(0, 20)) ?? [];
  if (digits === undefined) return "not HTTP";
  const status = Number(digits);
  // 100 Continue and the like come before the answer.
  if (status < 200) return readAnswer(received.slice(headEnd + 4));

  const header = (name: keyof typeof HEADERS) => HEADERS[name].exec(head)?.[1]?.trim();
  const bodyLength = received.length - headEnd - 4;
  const end = hasEnded(status, header("contentLength"), header("transferEncoding"), received, bodyLength);
  const isKept = minor === "1" && header("connection")?.toLowerCase() !== "close";
  return {
    status,
    retryAfter: header("retryAfter"),
    location: header("location"),
    isWhole: end !== "not yet" || bodyLength > MAX_BODY_LENGTH,
    isReusable: end === "here" && isKept,
  };
}

/** Whether a body has ended with what has come: here for certain, not yet, or nobody can tell but by the connection's end. */
function hasEnded(
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

function headerNamed(name: string): RegExp {
  return new RegExp(`\\r\\n${name}:[ \\t]*([^\\r\\n]*)`, "i");
}
