import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { LRUCache } from "lru-cache";
import { ApiError } from "../contract/errors.js";
import type { Clock } from "../interfaces.js";

/** Who may use the collector (contract 5, `auth.api_keys`). */
export interface ApiKeys {
  /**
   * Lets a request pass that carries a key in `X-API-Key` or as a bearer token, or the cookie of a session. Where no
   * keys are configured, all pass.
   *
   * @throws `ApiError` unauthorized.
   */
  authorize(headers: IncomingHttpHeaders): void;
  /** Whether {@link authorize} would let them pass. */
  isAllowed(headers: IncomingHttpHeaders): boolean;
  /**
   * Opens a session of a browser (contract 3, `POST /v1/session`).
   *
   * @returns the cookie to set.
   * @throws `ApiError` unauthorized where the key is none of ours.
   */
  openSession(key: string): string;
  /**
   * Ends the session of a request, where it has one: this collector takes its cookie no more, also not of who copied it.
   *
   * @returns the cookie to set in its place.
   */
  closeSession(headers: IncomingHttpHeaders): string;
}

const COOKIE = "obspan_session";
const SESSION_SECONDS = 12 * 60 * 60;
/** Sessions that were ended and are remembered; beyond that the one that ended first is good again until it expires. */
const MAX_ENDED_SESSIONS = 10_000;
/** A page of another site can neither read it nor have it sent. */
const COOKIE_ATTRIBUTES = "HttpOnly; SameSite=Strict; Path=/";

/** @param keys - empty where everybody may come in. */
export function createApiKeys(keys: readonly string[], clock: Pick<Clock, "now">): ApiKeys {
  const digests = keys.map(sha256);
  // Sessions outlive a restart, are known to every replica, and end when a key is changed.
  const secret = sha256(digests.map((digest) => digest.toString("hex")).join());

  function isKey(candidate: string): boolean {
    const digest = sha256(candidate);
    // Every key is looked at, whichever it is: how long it takes says nothing.
    return digests.reduce((found, known) => timingSafeEqual(known, digest) || found, false);
  }

  const ended = new LRUCache<string, true>({ max: MAX_ENDED_SESSIONS });

  function sign(session: string): string {
    return createHmac("sha256", secret).update(session).digest("base64url");
  }

  function isSession(cookie: string): boolean {
    const [expires = "", nonce = "", signature = ""] = cookie.split(".");
    if (!(Number(expires) * 1000 > clock.now())) return false;
    if (!timingSafeEqual(sha256(signature), sha256(sign(`${expires}.${nonce}`)))) return false;
    return !ended.has(nonce);
  }

  /** Why a request may not pass; undefined where it may. */
  function refusal(headers: IncomingHttpHeaders): ApiError | undefined {
    if (keys.length === 0) return undefined;
    const key = keyOf(headers);
    if (key !== undefined) return isKey(key) ? undefined : unknownKey();
    const session = sessionOf(headers.cookie);
    if (session === undefined)
      return unauthorized("The collector wants an API key: send it as X-API-Key (auth.api_keys).");
    return isSession(session) ? undefined : unauthorized("The session has ended: sign in again.");
  }

  return {
    authorize(headers) {
      const error = refusal(headers);
      if (error !== undefined) throw error;
    },
    isAllowed: (headers) => refusal(headers) === undefined,
    openSession(key) {
      if (keys.length > 0 && !isKey(key)) throw unknownKey();
      const expires = Math.floor(clock.now() / 1000) + SESSION_SECONDS;
      // Two sessions that were opened in one second are two.
      const session = `${expires}.${randomBytes(9).toString("base64url")}`;
      return `${COOKIE}=${session}.${sign(session)}; Max-Age=${SESSION_SECONDS}; ${COOKIE_ATTRIBUTES}`;
    },
    closeSession(headers) {
      const session = sessionOf(headers.cookie);
      if (session !== undefined && isSession(session)) ended.set(session.split(".")[1] ?? "", true);
      return `${COOKIE}=; Max-Age=0; ${COOKIE_ATTRIBUTES}`;
    },
  };
}

function unknownKey(): ApiError {
  return unauthorized("The API key is none of those in auth.api_keys.");
}

function unauthorized(message: string): ApiError {
  return new ApiError("unauthorized", message, {}, { "WWW-Authenticate": "Bearer" });
}

function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["x-api-key"];
  if (key !== undefined) return String(key);
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
}

function sessionOf(cookies: string | undefined): string | undefined {
  for (const cookie of (cookies ?? "").split(";")) {
    const [name, value] = cookie.trim().split("=", 2);
    if (name === COOKIE) return value;
  }
  return undefined;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
