import type { Environment } from "../config/read-config.js";
import { warnOnce } from "../warnings.js";
import { isLoopback } from "./loopback.js";
import { basicAuthorization } from "./transport.js";

/** A proxy that requests go through. */
export interface Proxy {
  /** Its address, without credentials. */
  readonly url: URL;
  /** The value of `Proxy-Authorization`: the credentials of its URL. */
  readonly authorization: string | undefined;
}

/**
 * The proxy that the environment names for a URL: `HTTPS_PROXY` or `HTTP_PROXY`, unless `NO_PROXY` names the host. The names
 * in lower case win. None for a collector on the same machine.
 */
export function proxyOf(url: URL, environment: Environment): Proxy | undefined {
  const variable = (name: string) => environment[name.toLowerCase()] || environment[name];
  const text = variable(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (text === undefined || text === "" || isLoopback(url) || isExcluded(url, variable("NO_PROXY") ?? ""))
    return undefined;
  const href = text.includes("://") ? text : `http://${text}`;
  const proxy = URL.canParse(href) ? new URL(href) : undefined;
  if (proxy === undefined || !/^https?:$/.test(proxy.protocol)) {
    // The value is not logged: it may have a password.
    warnOnce("proxy", "The proxy of the environment is not an http or https URL: it is not used.");
    return undefined;
  }
  const authorization = basicAuthorization(proxy);
  proxy.username = "";
  proxy.password = "";
  return { url: proxy, authorization };
}

/** The port of a URL, also if it is the one of its protocol. */
export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}

/** The host of a URL as sockets take it. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** `NO_PROXY` has hosts, domains with or without a dot or `*.` before them, each also with a port, or `*`. */
function isExcluded(url: URL, list: string): boolean {
  const host = hostOf(url).toLowerCase();
  return list.split(/[\s,]+/).some((item) => {
    const [, name = "", port] = /^(.*?)(?::(\d+))?$/.exec(item.toLowerCase()) ?? [];
    if (name === "*") return true;
    const domain = name.replace(/^\*?\.|[[\]]/g, "");
    if (domain === "" || (port !== undefined && Number(port) !== portOf(url))) return false;
    return host === domain || host.endsWith(`.${domain}`);
  });
}
