import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "../api-schema/errors.js";

/** Hosts and origins that the collector answers (contract 5). */
export interface OriginPolicy {
  /** `server.host`. A collector bound to loopback answers only loopback names. */
  readonly bindHost: string;
  /** `server.allowed_hosts`: host names in addition to loopback names. */
  readonly allowedHosts: readonly string[];
  /** `server.allowed_origins`: origins whose pages may read and write. */
  readonly allowedOrigins: readonly string[];
}

/** The parts of a request that the guard reads. */
export interface GuardedRequest {
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Result for an accepted request. `allowedOrigin` is the foreign origin that CORS headers must name, if any. */
export interface GuardResult {
  readonly allowedOrigin: string | undefined;
}

/** Throws an `ApiError` (host_not_allowed, origin_not_allowed) for a refused request. */
export type OriginGuard = (request: GuardedRequest) => GuardResult;

/** Bound of the cache of accepted Host headers, because every loopback address is accepted. */
const MAX_CACHED_HOSTS = 20;

const ALLOWED: GuardResult = { allowedOrigin: undefined };

/**
 * Refuses requests of foreign web pages. The Host header reveals DNS rebinding; Origin and Sec-Fetch-Site reveal
 * cross-site requests. Other programs send no Origin or Sec-Fetch-Site and pass, unless the collector is bound to
 * loopback and the Host is not a loopback name.
 */
export function createOriginGuard(policy: OriginPolicy): OriginGuard {
  const allowedHosts = new Set(policy.allowedHosts.map((host) => host.toLowerCase()));
  const allowedOrigins = new Set(
    policy.allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, "")),
  );
  const boundToLoopback = isLoopback(policy.bindHost.toLowerCase());

  /** Cache of accepted Host headers. Clients send one or two different ones. */
  const ownHosts = new Set<string>();

  function requireOwnHost(host: string): void {
    if (ownHosts.has(host)) return;
    const authority = host.toLowerCase();
    const name = hostName(authority);
    const isOwn =
      name === "localhost" ||
      allowedHosts.has(name) ||
      allowedHosts.has(authority) ||
      (boundToLoopback ? isLoopback(name) : isIP(name) !== 0);
    if (!isOwn) {
      throw new ApiError(
        "host_not_allowed",
        `The collector does not answer to the host ${quote(name)}; list it in server.allowed_hosts (OBS_SERVER_ALLOWED_HOSTS).`,
      );
    }
    if (ownHosts.size < MAX_CACHED_HOSTS) ownHosts.add(host);
  }

  return function checkOrigin(request) {
    const { headers } = request;
    const { host = "", origin } = headers;
    const fromBrowser = origin !== undefined || isFromBrowser(headers);
    if (boundToLoopback || fromBrowser) requireOwnHost(host);
    if (!fromBrowser) return ALLOWED;
    if (origin === undefined) {
      if (isFromForeignPage(request)) throw foreignOrigin("another site");
      return ALLOWED;
    }
    const sender = origin.toLowerCase();
    const authority = host.toLowerCase();
    if (sender === `http://${authority}` || sender === `https://${authority}`) return ALLOWED;
    if (allowedOrigins.has(sender)) return { allowedOrigin: origin };
    throw foreignOrigin(quote(origin));
  };
}

function foreignOrigin(sender: string): ApiError {
  return new ApiError(
    "origin_not_allowed",
    `Pages of ${sender} may not use the collector; list the origin in server.allowed_origins (OBS_SERVER_ALLOWED_ORIGINS).`,
  );
}

/**
 * Browsers send Sec-Fetch-* only to trustworthy origins, which excludes plain HTTP except for loopback. A page that uses
 * DNS rebinding over plain HTTP is recognized only by its User-Agent.
 */
function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  if (headers["user-agent"]?.startsWith("Mozilla/") === true) return true;
  for (const name in headers) if (name.startsWith("sec-fetch-")) return true;
  return false;
}

/**
 * Returns true for a request without Origin from a page of another site: an image, a script or a GET form. A link to the
 * UI is allowed: the user navigates there, and the linking page cannot read the response. A link to `/v1` is not: it would
 * download all traces.
 */
function isFromForeignPage({ method, url = "/", headers }: GuardedRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !(
    method === "GET" &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["sec-fetch-dest"] === "document" &&
    !isOfApi(url)
  );
}

function isOfApi(url: string): boolean {
  try {
    return /^\/(?:v1|mcp)(?:\/|$)/i.test(decodeURIComponent(/^[^?]*/.exec(url)?.[0] ?? ""));
  } catch {
    return true;
  }
}

/** Returns the host without port and brackets, as for `[::1]:8080` and `localhost:8080`. */
function hostName(authority: string): string {
  return /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority)?.slice(1).join("") ?? "";
}

/** Returns true for `localhost` and loopback addresses. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
