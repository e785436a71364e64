/** True if only programs on this machine can reach the page's host. */
export function isLoopback(hostname = window.location.hostname): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
