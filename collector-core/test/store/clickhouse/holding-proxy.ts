import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands before ClickHouse, and holds up some of what is asked. */
export interface HoldingProxy {
  readonly url: string;
  /** How many requests are held. */
  readonly held: number;
  /** Passes on what was held, and all that comes. */
  release(): void;
  close(): void;
}

/** @param isHeld - by the text of a request. */
export async function startHoldingProxy(
  target: string,
  isHeld: (text: string) => boolean,
): Promise<HoldingProxy> {
  const held: (() => void)[] = [];
  let isReleased = false;
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await bodyOf(incoming);
      const pass = (): void => passOn(new URL(incoming.url ?? "/", target), incoming, body, response);
      if (isReleased || !isHeld(body.toString())) pass();
      else held.push(pass);
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get held() {
      return held.length;
    },
    release() {
      isReleased = true;
      for (const pass of held.splice(0)) pass();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Stands before ClickHouse, and answers some of what is asked itself, with success.
 *
 * @param answerOf - by the statement, or the text of a request with it; undefined for what is passed on.
 */
export async function startAnsweringProxy(
  target: string,
  answerOf: (asked: string) => { headers?: Record<string, string>; body: string } | undefined,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await bodyOf(incoming);
      const url = new URL(incoming.url ?? "/", target);
      const answer = answerOf(`${url.searchParams.get("query") ?? ""} ${body.toString()}`);
      if (answer === undefined) passOn(url, incoming, body, response);
      else response.writeHead(200, answer.headers).end(answer.body);
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function passOn(
  url: URL,
  { method, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const { "transfer-encoding": _, ...kept } = headers;
  const passed = request(url, { method, headers: { ...kept, "content-length": body.length } }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => response.destroy());
  passed.end(body);
}
