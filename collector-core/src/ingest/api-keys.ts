import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { ApiError } from "../api-schema/errors.js";
import type { Clock } from "../runtime/clock.js";
import type { ReadClientAddress } from "./client-address.js";
import { createFailedKeys } from "./failed-keys.js";

/** Who may use the collector (contract 5, `auth.api_keys`). */
export interface ApiKeys {
  /**
   * Lets a request pass that carries a key in `X-API-Key` or as a bearer token, or the cookie of a session. Where no
   * keys are configured, all pass. Wrong keys are throttled by their address.
   *
   * @throws `ApiError` unauthorized, rate_limited.
   */
  authorize(request: IncomingMessage): void;
  /** Whether the key or the session of a request that was let in is still good. */
  isAllowed(headers: IncomingHttpHeaders): boolean;
  /**
   * Opens a session of a browser (contract 3, `POST /v1/session`).
   *
   * @returns the cookie to set.
   * @throws `ApiError` unauthorized where the key is none of ours; rate_limited.
   */
  openSession(key: string, request: IncomingMessage): string;
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

/** What {@link createApiKeys} needs. */
export interface ApiKeysOptions {
  /** `auth.api_keys`; empty where everybody may come in. */
  readonly keys: readonly string[];
  readonly clock: Clock;
  readonly addressOf: ReadClientAddress;
}

export function createApiKeys({ keys, clock, addressOf }: ApiKeysOptions): ApiKeys {
  const digests = keys.map(sha256);
  const failed = createFailedKeys(clock);
  // Sessions outlive a restart, are known to every replica, and end when a key is changed.
  const secret = sha256(digests.map((digest) => digest.toString("hex")).join());

  /** Which of the keys a digest is of; -1 where it is of none. */
  function indexOf(digest: Buffer): number {
    // Every key is looked at, whichever it is: how long it takes says nothing.
    return digests.reduce((found, known, index) => (timingSafeEqual(known, digest) ? index : found), -1);
  }

  /** Why a key may not pass; undefined where it may. */
  function keyRefusal(key: string, request: IncomingMessage): ApiError | undefined {
    const digest = sha256(key);
    const index = indexOf(digest);
    const address = addressOf(request);
    if (index !== -1 && failed.isKnown(address, index)) return undefined;
    const wrong = digest.toString("latin1");
    if (failed.isKnownWrong(wrong)) return unknownKey();
    failed.require(address);
    if (index === -1) {
      failed.fail(address, wrong);
      return unknownKey();
    }
    failed.succeed(address, index);
    return undefined;
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

  /** Why a request without a key may not pass; undefined where its session lets it. */
  function sessionRefusal(headers: IncomingHttpHeaders): ApiError | undefined {
    const session = sessionOf(headers.cookie);
    if (session === undefined)
      return unauthorized("The collector wants an API key: send it as X-API-Key (auth.api_keys).");
    return isSession(session) ? undefined : unauthorized("The session has ended: sign in again.");
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
