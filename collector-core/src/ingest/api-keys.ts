import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import type { EndedSessions } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { ReadClientAddress } from "./client-address.js";
import { createFailedKeys } from "./failed-keys.js";

/** API keys and browser sessions (contract 5, `auth.api_keys`). */
export interface ApiKeys {
  /**
   * Accepts a request with a key in `X-API-Key`, with a bearer token or with a session cookie. Accepts every request if
   * no keys are configured. Wrong keys are throttled by client address.
   *
   * @throws `ApiError` unauthorized, rate_limited.
   */
  authorize(request: IncomingMessage): void;
  /** Returns true if the key or session of an earlier request is still valid. */
  isAllowed(headers: IncomingHttpHeaders): boolean;
  /**
   * Opens a browser session (contract 3, `POST /v1/session`).
   *
   * @returns the cookie to set.
   * @throws `ApiError` unauthorized if the key is wrong; rate_limited.
   */
  openSession(key: string, request: IncomingMessage): string;
  /**
   * Ends the session of a request, if it has one. This collector then refuses its cookie and all copies of it, and so do others
   * with the same {@link ApiKeysOptions.endedSessions}.
   *
   * @returns the cookie that clears the session cookie.
   */
  closeSession(headers: IncomingHttpHeaders): string;
}

const COOKIE = "obspan_session";
/** Characters of 32 bytes in base64url. Other cookies cost no hash. */
const SIGNATURE_LENGTH = 43;
const SESSION_SECONDS = 12 * 60 * 60;
/** Other sites can neither read the cookie nor send it. */
const COOKIE_ATTRIBUTES = "HttpOnly; SameSite=Strict; Path=/";

/** Options of {@link createApiKeys}. */
export interface ApiKeysOptions {
  /** `auth.api_keys`. If empty, every request is accepted. */
  readonly keys: readonly string[];
  readonly clock: Clock;
  readonly addressOf: ReadClientAddress;
  readonly endedSessions: EndedSessions;
}

export function createApiKeys({ keys, clock, addressOf, endedSessions }: ApiKeysOptions): ApiKeys {
  const digests = keys.map(sha256);
  const failed = createFailedKeys(clock);
  let secret: Buffer | undefined;

  /**
   * Derived from the keys: sessions survive a restart, are valid on every replica, and end when a key changes. The derivation
   * takes tens of milliseconds, so that a stolen cookie, of which the signature is known, does not give away a short key.
   */
  function signingSecret(): Buffer {
    const sources = digests.map((digest) => digest.toString("hex")).join();
    return (secret ??= scryptSync(sources, "obspan session", 32));
  }

  /** Returns the index of the key with this digest, or -1. */
  function indexOf(digest: Buffer): number {
    // Compares every key, so that the time does not depend on the index of the match.
    return digests.reduce((found, known, index) => (timingSafeEqual(known, digest) ? index : found), -1);
  }

  /** Returns the error for a refused key, or undefined for an accepted one. */
  function keyRefusal(key: string, request: IncomingMessage): ApiError | undefined {
    const digest = sha256(key);
    const index = indexOf(digest);
    const address = addressOf(request);
    if (index !== -1 && failed.hasSucceeded(address, index)) return undefined;
    const wrong = digest.toString("latin1");
    if (failed.isRecordedWrong(wrong)) return unknownKey();
    failed.requireNotThrottled(address);
    if (index === -1) {
      failed.recordFailure(address, wrong);
      return unknownKey();
    }
    failed.recordSuccess(address, index);
    return undefined;
  }

  const sessionTime = createRisingTime(clock);

  function sign(session: string): string {
    return createHmac("sha256", signingSecret()).update(session).digest("base64url");
  }

  function isSession(cookie: string): boolean {
    const [expires = "", nonce = "", signature = ""] = cookie.split(".");
    if (signature.length !== SIGNATURE_LENGTH) return false;
    if (!(Number(expires) * 1000 > sessionTime())) return false;
    if (!timingSafeEqual(sha256(signature), sha256(sign(`${expires}.${nonce}`)))) return false;
    return !endedSessions.has(nonce);
  }

  /** Returns the error for a request without a key, or undefined if its session is valid. */
  function sessionRefusal(headers: IncomingHttpHeaders): ApiError | undefined {
    const cookies = sessionCookies(headers.cookie);
    if (cookies.length === 0)
      return unauthorized("The collector requires an API key: send it as X-API-Key (auth.api_keys).");
    return cookies.some(isSession) ? undefined : unauthorized("The session has ended: sign in again.");
  }

  return {
    authorize(request) {
      if (keys.length === 0) return;
      const key = keyOf(request.headers);
      const error = key === undefined ? sessionRefusal(request.headers) : keyRefusal(key, request);
      if (error !== undefined) throw error;
    },
    isAllowed(headers) {
      if (keys.length === 0) return true;
      const key = keyOf(headers);
      return key === undefined ? sessionRefusal(headers) === undefined : indexOf(sha256(key)) !== -1;
    },
    openSession(key, request) {
      const error = keys.length === 0 ? undefined : keyRefusal(key, request);
      if (error !== undefined) throw error;
      const expires = Math.floor(sessionTime() / 1000) + SESSION_SECONDS;
      // The nonce separates sessions that are opened in the same second.
      const session = `${expires}.${randomBytes(9).toString("base64url")}`;
      return `${COOKIE}=${session}.${sign(session)}; Max-Age=${SESSION_SECONDS}; ${COOKIE_ATTRIBUTES}`;
    },
    closeSession(headers) {
      for (const session of sessionCookies(headers.cookie))
        if (isSession(session)) endedSessions.add(session.split(".")[1] ?? "");
      return `${COOKIE}=; Max-Age=0; ${COOKIE_ATTRIBUTES}`;
    },
  };
}

/**
 * The wall clock in milliseconds, except that it never goes back: a session that has expired stays expired. After the clock was
 * set back, it goes on with the monotonic clock.
 */
function createRisingTime(clock: Clock): () => number {
  let nowMs = clock.now();
  let atMs = clock.monotonic();
  return () => {
    const monotonicMs = clock.monotonic();
    nowMs = Math.max(clock.now(), nowMs + monotonicMs - atMs);
    atMs = monotonicMs;
    return nowMs;
  };
}

function unknownKey(): ApiError {
  return unauthorized("The API key is not in auth.api_keys.");
}

function unauthorized(message: string): ApiError {
  return new ApiError("unauthorized", message, {}, { "WWW-Authenticate": "Bearer" });
}

function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["x-api-key"];
  if (key !== undefined) return String(key);
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
}

/**
 * Every cookie of this name. A server on another port or a subdomain of the same host can set one that a browser sends before the
 * collector's own (RFC 6265, section 8.6), and it must not sign the user out.
 */
function sessionCookies(cookies: string | undefined): string[] {
  return (cookies ?? "").split(";").flatMap((cookie) => {
    const [name, value = ""] = cookie.trim().split("=", 2);
    return name === COOKIE ? [value] : [];
  });
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
