import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** Maximum characters of an invalid address, which a proxy may send. */
const MAX_ADDRESS_LENGTH = 64;

/** Returns the limit key of a client: its IPv4 address or its IPv6 /64, because one client may use every address of a /64. */
export function clientNetwork(address: string): string {
  // The common case needs no parsing, and each new connection comes here.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return truncateCodePoints(address, MAX_ADDRESS_LENGTH);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
