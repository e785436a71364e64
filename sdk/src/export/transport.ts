import { toBase64 } from "../platform/base64.js";

/** What the exporter uses of a response. */
export interface TransportResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Sends one body at a time. */
export interface Transport<Body> {
  /**
   * Rejects if no response came: refused, reset, timed out or aborted. The memory of the body may be reused once this has
   * settled.
   */
  post(body: Body, signal: AbortSignal): Promise<TransportResponse>;
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

/** Most redirects that a request follows. */
export const MAX_REDIRECTS = 3;
/** All of them repeat the POST. Browsers turn some into a GET; that would lose the batch. */
const REDIRECTS = new Set([301, 302, 307, 308]);

/** The target of a redirect; undefined if there is none, or if it leads to another origin. */
export function redirectOf(status: number, location: string | undefined, target: URL): URL | undefined {
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, target.href))
    return undefined;
  const next = new URL(location, target);
  return next.origin === target.origin ? next : undefined;
}

/** The header value of HTTP's scheme `Basic` for the user and the password of a URL; undefined if it has none. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const credentials = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
  return `Basic ${toBase64(credentials)}`;
}

/** Decodes percent escapes. A password may also contain a plain percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
