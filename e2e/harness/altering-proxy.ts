import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

/** Changes what the API answers: a whole JSON answer, or one piece of the live feed. */
export type Alter = (text: string, path: string) => string;

/** A collector as pages see it through the proxy. */
export interface AlteringProxy {
  readonly url: string;
  /** Replaces the change from now on. */
  alter(change: Alter): void;
}

/**
 * A collector that answers what this one would not: a proxy that changes the answers of `/v1/`. Everything else passes
 * as it is. The proxy closes at the end of the test.
 *
 * @param before - awaited before a request is passed on. Default: it is passed on at once.
 */
export async function alteringProxyForTest(
  collectorUrl: string,
  change: Alter,
  before: (path: string) => Promise<unknown> | undefined = () => undefined,
): Promise<AlteringProxy> {
  let current = change;
  const ended = new AbortController();

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    await before(path);
    const answer = await fetch(collectorUrl + path, {
      method: request.method ?? "GET",
      signal: ended.signal,
    });
    const type = answer.headers.get("content-type") ?? "";
    const policy = answer.headers.get("content-security-policy");
    response.writeHead(answer.status, {
      "Content-Type": type,
      ...(policy === null ? {} : { "Content-Security-Policy": policy }),
    });
    if (!path.startsWith("/v1/")) {
      response.end(Buffer.from(await answer.arrayBuffer()));
    } else if (!type.startsWith("text/event-stream")) {
      response.end(current(await answer.text(), path));
    } else {
      const decoder = new TextDecoder();
      for await (const piece of answer.body ?? [])
        response.write(current(decoder.decode(piece as Uint8Array, { stream: true }), path));
      response.end();
    }
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    ended.abort();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The proxy has no address.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    alter(next) {
      current = next;
    },
  };
}
