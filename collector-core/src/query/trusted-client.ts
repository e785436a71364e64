import type { FastifyRequest } from "fastify";
import { ApiError } from "../api-schema/errors.js";

/** Which clients may change the collector itself. */
export interface TrustedClients {
  /** True if `auth.api_keys` are set: each request then carries a valid key. Otherwise only loopback clients are trusted. */
  readonly hasKeys: boolean;
  readonly isLoopback: (address: string) => boolean;
}

/** A request with one of these headers came through a proxy, whose client may be remote. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-real-ip", "via"] as const;

/**
 * Lets requests with an API key pass, and without `auth.api_keys` those of the same machine.
 *
 * @param what - what may be done from there only: "the configuration can only be written".
 * @throws ApiError loopback_only.
 */
export function requireTrustedClient(
  { headers, socket }: Pick<FastifyRequest, "headers" | "socket">,
  { hasKeys, isLoopback }: TrustedClients,
  what: string,
): void {
  if (hasKeys) return;
  const isProxied = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  if (isLoopback(socket.remoteAddress ?? "") && !isProxied) return;
  throw new ApiError(
    "loopback_only",
    `Without auth.api_keys, ${what} from the machine that the collector runs on. Set auth.api_keys to do it from elsewhere.`,
  );
}
