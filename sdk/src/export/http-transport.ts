import { openConnection, RequestError, type HttpConnection } from "./http-connection.js";
import type { RawAnswer } from "./raw-answer.js";
import type { RequestBody } from "./request-body.js";

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Sends one body at a time. */
export interface Transport {
  /**
   * Rejects where no answer came: refused, reset, timed out, aborted. The body may be written anew once this has settled.
   */
  post(body: RequestBody, signal: AbortSignal): Promise<Answer>;
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

/**
 * HTTP/1.1 over one connection that is kept alive. No request keeps the process alive by itself.
 *
 * Plain sockets and not `node:http`: a POST of which only the status is read costs an app less CPU that way (figures in
 * docs/performance.md). What is not understood of an answer's end costs the connection, never a status.
 */
export function createTransport({ url, headers, timeoutMs }: TransportOptions): Transport {
  let connection: HttpConnection | undefined;
  let followed: AbortSignal | undefined;
  const fixedHead = headOf(url, headers);

  async function post(body: RequestBody, signal: AbortSignal): Promise<RawAnswer> {
    follow(signal);
    const headers = `${fixedHead}${body.isGzip ? "Content-Encoding: gzip\r\n" : ""}Content-Length: ${body.length}\r\n\r\n`;
    let target = url;
    for (let redirects = 0; ;) {
      if (connection?.isOpen !== true) connection = await openConnection(target, timeoutMs);
      if (signal.aborted) throw new RequestError("aborted", false);
      try {
        const head = `POST ${target.pathname}${target.search} HTTP/1.1\r\n${headers}`;
        const answer = await connection.exchange(body.after(head));
        const next = redirectOf(answer, target);
        if (next === undefined || redirects++ >= MAX_REDIRECTS) return answer;
        target = next;
      } catch (error) {
        if (!(error instanceof RequestError && error.isStale)) throw error;
      }
    }
  }

  /** A listener a signal and not a request: to add and remove one costs as much as to read an answer. */
  function follow(signal: AbortSignal): void {
    if (signal === followed) return;
    followed = signal;
    signal.addEventListener("abort", () => connection?.fail("aborted"), { once: true });
  }

  return {
    post,
    close() {
      connection?.close();
    },
  };
}

/** Where an answer sends the request on to; undefined where it does not, or to another origin. */
function redirectOf({ status, location }: RawAnswer, target: URL): URL | undefined {
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, target.href))
    return undefined;
  const next = new URL(location, target);
  return next.origin === target.origin ? next : undefined;
}

/** The headers that every request of a transport has. */
function headOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = [`Host: ${url.host}`, "Content-Type: application/json", "Connection: keep-alive"];
  if (url.username !== "" || url.password !== "") {
    const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
    lines.push(`Authorization: Basic ${Buffer.from(credentials).toString("base64")}`);
  }
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join("\r\n")}\r\n`;
}

/** A percent sign in a password need not begin an escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
