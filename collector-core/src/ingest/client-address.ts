import type { IncomingMessage } from "node:http";
import proxyAddr from "@fastify/proxy-addr";

/** Returns the client address of a request. */
export type ReadClientAddress = (request: IncomingMessage) => string;

/**
 * Reads the address of the peer. If the peer is a trusted proxy, reads the last address of X-Forwarded-For that is not
 * a trusted proxy (contract 5): any client can write the addresses before it.
 *
 * @param trustedProxies - `server.trusted_proxies`: addresses or ranges such as `10.0.0.0/8`.
 */
export function createClientAddressReader(trustedProxies: readonly string[]): ReadClientAddress {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? "";
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => withoutPort(proxyAddr(request, (address, hop) => isTrusted(withoutPort(address), hop)));
}

/**
 * `192.0.2.1:49152` and `[2001:db8::1]:49152` without the port. Some proxies add it, and it is another one for each connection: no
 * limit per address would hold.
 */
function withoutPort(address: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}

/** Returns a test for addresses that many clients share: loopback and `server.trusted_proxies`. */
export function createExemptAddresses(trustedProxies: readonly string[]): (address: string) => boolean {
  const isExempt = proxyAddr.compile(["loopback", ...trustedProxies]);
  return (address) => isExempt(address, 0);
}
