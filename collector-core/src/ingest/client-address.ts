import type { IncomingMessage } from "node:http";
import proxyAddr from "@fastify/proxy-addr";

/** The address of whoever made a request. */
export type ReadClientAddress = (request: IncomingMessage) => string;

/**
 * The socket's peer; where that is one of `trustedProxies`, the last address of X-Forwarded-For that is none of them
 * (contract 5): what stands before it could have been written by anybody.
 *
 * @param trustedProxies - `server.trusted_proxies`: addresses or ranges, `10.0.0.0/8`.
 */
export function createClientAddressReader(trustedProxies: readonly string[]): ReadClientAddress {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? "";
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, isTrusted);
}

/** Says of an address whether many clients have it: loopback, and `server.trusted_proxies`. */
export function createExemptAddresses(trustedProxies: readonly string[]): (address: string) => boolean {
  const isExempt = proxyAddr.compile(["loopback", ...trustedProxies]);
  return (address) => isExempt(address, 0);
}
