/** The host of a URL as sockets and lists of hosts name it: an IPv6 address without its brackets. */
export function urlHost({ hostname }: Pick<URL, "hostname">): string {
  return hostname.replace(/^\[|\]$/g, "");
}
