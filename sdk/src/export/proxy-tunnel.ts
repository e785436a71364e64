import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "../platform/timers.js";
import { parseResponse } from "./http-response.js";
import { portOf, type Proxy } from "./proxy.js";

/** How long a proxy may take to open a tunnel. */
export interface TunnelLimits {
  readonly timeoutMs: number;
  /** Ends the wait before. */
  readonly signal: AbortSignal;
}

/**
 * Asks a proxy for a tunnel to the host of a URL (CONNECT).
 *
 * @param socket - a connection to the proxy. Its bytes are those of the host once this has resolved. It is closed if this
 * rejects.
 */
export function openTunnel(
  socket: Socket,
  url: URL,
  { authorization }: Proxy,
  { timeoutMs, signal }: TunnelLimits,
): Promise<void> {
  const target = `${url.hostname}:${portOf(url)}`;
  const head = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`];
  if (authorization !== undefined) head.push(`Proxy-Authorization: ${authorization}`);
  return new Promise((resolve, reject) => {
    let received = "";
    const timer = setTimeout(() => end(new Error("timeout")), timeoutMs).unref();
    const onError = (error: NodeJS.ErrnoException): void => end(new Error(error.code ?? error.name));
    const onClose = (): void => end(new Error("ECONNRESET"));
    const onAbort = (): void => end(new Error("aborted"));
    const onData = (chunk: Uint8Array): void => {
      received += Buffer.from(chunk).toString("latin1");
      const response = parseResponse(received);
      if (response === undefined) return;
      const isOpen = response !== "not HTTP" && response.status >= 200 && response.status < 300;
      end(
        isOpen
          ? undefined
          : new Error(`the proxy answered ${response === "not HTTP" ? response : response.status}`),
      );
    };
    function end(error: Error | undefined): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.off("data", onData).off("error", onError).off("close", onClose).pause();
      if (error === undefined) resolve();
      else {
        socket.on("error", () => undefined).destroy();
        reject(error);
      }
    }
    signal.addEventListener("abort", onAbort);
    socket.on("data", onData).on("error", onError).on("close", onClose).unref();
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    if (signal.aborted) onAbort();
  });
}
