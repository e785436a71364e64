import {
  basicAuthorization,
  MAX_REDIRECTS,
  redirectOf,
  type Transport,
  type TransportOptions,
} from "../export/transport.js";
import { isPageHidden } from "./exit-watch.js";
import type { FetchBody } from "./fetch-body.js";
import { clearTimeout, setTimeout } from "./timers.js";

/** Largest body that browsers still send after the page is closed, in bytes. */
const KEEPALIVE_BYTES = 60_000;
/** Longest response that is read, in bytes, so that its connection can be used again. */
const MAX_RESPONSE_BYTES = 65_536;

/** The batch sender reads the message. */
const TIMEOUT = new Error("timeout");

/** Creates a transport that uses `fetch()`. Nothing of it is shared by requests, as Cloudflare Workers demands. */
export function createTransport({ url, headers, timeoutMs }: TransportOptions): Transport<FetchBody> {
  const target = new URL(url);
  // `fetch()` refuses a URL with credentials, and quotes it.
  target.username = "";
  target.password = "";
  const authorization = basicAuthorization(url);
  const fixedHeaders = {
    "Content-Type": "application/json",
    ...(authorization !== undefined && { Authorization: authorization }),
    ...headers,
  };

  async function send({ bytes, isGzip }: FetchBody, signal: AbortSignal): Promise<Response> {
    let next: URL | undefined = target;
    for (let redirects = 0; ; redirects++) {
      const response: Response = await fetch(next.href, {
        method: "POST",
        headers: { ...fixedHeaders, ...(isGzip && { "Content-Encoding": "gzip" }) },
        body: bytes,
        redirect: "manual",
        signal,
        // Cloudflare Workers refuses fields that it does not know.
        ...(isPageHidden() && bytes.length <= KEEPALIVE_BYTES && { keepalive: true }),
      });
      await release(response);
      next = redirectOf(response.status, response.headers.get("location") ?? undefined, next);
      if (next === undefined || redirects >= MAX_REDIRECTS) return response;
    }
  }

  return {
    async post(body, signal) {
      const abort = new AbortController();
      const onAbort = () => abort.abort();
      const timer = setTimeout(() => {
        abort.abort(TIMEOUT);
      }, timeoutMs);
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        const { status, type, headers: received } = await send(body, abort.signal);
        // A browser hides where a redirect leads.
        return {
          status: type === "opaqueredirect" ? 302 : status,
          retryAfter: received.get("retry-after") ?? undefined,
        };
      } catch (error) {
        if (signal.aborted) throw new Error("aborted");
        throw abort.signal.reason === TIMEOUT ? TIMEOUT : error;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      }
    },
    close: () => undefined,
  };
}

/** Frees the connection of a response, of which only the head is used. */
async function release(response: Response): Promise<void> {
  try {
    const length = Number(response.headers.get("content-length") ?? Number.NaN);
    if (length <= MAX_RESPONSE_BYTES) await response.arrayBuffer();
    else await response.body?.cancel();
  } catch {
    // The status counts, also without the rest of the response.
  }
}
