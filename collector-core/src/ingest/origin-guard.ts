import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "../api-schema/errors.js";

/** Whom the collector answers (contract 5). */
export interface OriginPolicy {
  /** `server.host`: bound to loopback, only loopback names are answered. */
  readonly bindHost: string;
  /** `server.allowed_hosts`: host names beside the loopback ones. */
  readonly allowedHosts: readonly string[];
  /** `server.allowed_origins`: pages of other origins that may read and write. */
  readonly allowedOrigins: readonly string[];
}

/** The parts of a request that the guard reads. */
export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** What a request may do: `allowedOrigin` is the foreign origin that CORS headers must name, where there is one. */
export interface Passage {
  readonly allowedOrigin: string | undefined;
}

/** Throws the `ApiError` (host_not_allowed, origin_not_allowed) that answers a request which may not pass. */
export type OriginGuard = (request: GuardedRequest) => Passage;

/** Host headers that are remembered: every loopback address is a good one. */
const MAX_KNOWN_HOSTS = 20;

const PASSED: Passage = { allowedOrigin: undefined };

/**
 * Keeps web pages out: DNS rebinding by the Host header, cross-site requests by Origin and Sec-Fetch-Site. Programs
 * that are no browsers send neither and pass, unless the bind is a loopback one and the Host is not.
 */
export function createOriginGuard(policy: OriginPolicy): OriginGuard {
  const allowedHosts = new Set(policy.allowedHosts.map((host) => host.toLowerCase()));
  const allowedOrigins = new Set(
    policy.allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, "")),
  );
  const boundToLoopback = isLoopback(policy.bindHost.toLowerCase());

  /** Host headers that were found good: clients send one or two, and they are looked at in every request. */
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
    if (ownHosts.size < MAX_KNOWN_HOSTS) ownHosts.add(host);
  }

  return function checkOrigin({ method, headers }) {
    const { host = "", origin } = headers;
    const fromBrowser = origin !== undefined || isFromBrowser(headers);
    if (boundToLoopback || fromBrowser) requireOwnHost(host);
    if (!fromBrowser) return PASSED;
    if (origin === undefined) {
      if (isForeignPage(method, headers)) throw foreignOrigin("another site");
      return PASSED;
    }
    const sender = origin.toLowerCase();
    const authority = host.toLowerCase();
    if (sender === `http://${authority}` || sender === `https://${authority}`) return PASSED;
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
 * Browsers send Sec-Fetch-* to origins that they trust, which a name behind plain HTTP is not: there a page whose name
 * was rebound to this machine is told by the User-Agent alone.
 */
function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  if (headers["user-agent"]?.startsWith("Mozilla/") === true) return true;
  for (const name in headers) if (name.startsWith("sec-fetch-")) return true;
  return false;
}

/**
 * A request without Origin that another site's page made: an image, a script, a form by GET. Following a link to the
 * UI is none: the user navigates there, and the page that linked sees nothing of it.
 */
function isForeignPage(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !(
    method === "GET" &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["sec-fetch-dest"] === "document"
  );
}

/** `[::1]:8080` and `localhost:8080` without port and brackets. */
function hostName(authority: string): string {
  return /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority)?.slice(1).join("") ?? "";
}

/** True for `localhost` and every loopback address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
