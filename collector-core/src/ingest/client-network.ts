import ipaddr from "ipaddr.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** Characters kept of an address that is none, as a proxy may name one. */
const MAX_ADDRESS_LENGTH = 64;

/** What one client is counted by: its address, or its /64 of IPv6, of which it need never use an address twice. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return truncateCodePoints(address, MAX_ADDRESS_LENGTH);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
