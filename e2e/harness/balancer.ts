import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A load balancer in front of collectors, which remembers what they have accepted. */
export interface Balancer {
  readonly url: string;
  /** The trace id and the span id of each span that a collector answered with 202. */
  readonly accepted: readonly (readonly [string, string])[];
  /** How often each status was answered, with the code of an error. 502: the collector ended during the request. */
  readonly answers: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

interface Batch {
  readonly batch_id: string;
  readonly spans: readonly { readonly trace_id: string; readonly span_id: string }[];
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

const CHECK_EVERY_MS = 200;

/** Gives each batch to the next collector that is ready, and to another one if nobody listens there: what was sent once is not sent again. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const accepted: [string, string][] = [];
  const batches = new Set<string>();
  const answers = new Map<string, number>();
  const ready = new Set(ports);
  let turn = 0;

  async function check(port: number): Promise<void> {
    const signal = AbortSignal.timeout(2000);
    const isReady = await fetch(`http://127.0.0.1:${port}/ready`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(port);
    else ready.delete(port);
  }
  const checks = setInterval(() => ports.forEach((port) => void check(port)), CHECK_EVERY_MS);

  async function pass({ url = "/", headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    for (let tried = 0; tried < ports.length; tried++) {
      const port = ports[turn++ % ports.length] ?? 0;
      if (!ready.has(port)) continue;
      try {
        return await ask(port, url, headers["content-type"] ?? "", body);
      } catch (error) {
        ready.delete(port);
        if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") return answerOf(502);
      }
    }
    return answerOf(503);
  }

  function ask(port: number, path: string, type: string, body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = { "Content-Type": type, "Content-Length": body.length };
      const asked = request({ agent, host: "127.0.0.1", port, path, method: "POST", headers }, (response) => {
        readAll(response).then(
          (answer) =>
            resolve({
              status: response.statusCode ?? 0,
              retryAfter: response.headers["retry-after"],
              body: answer,
            }),
          reject,
        );
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }

  /** A sender that got no answer sends the same batch again. */
  function remember(body: Buffer): void {
    const { batch_id: id, spans } = JSON.parse(body.toString()) as Batch;
    if (batches.has(id)) return;
    batches.add(id);
    for (const { trace_id: trace, span_id: span } of spans) accepted.push([trace, span]);
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    const { status, retryAfter, body: answer } = await pass(incoming, body);
    const named = [status, ...codeOf(answer)].join(" ");
    answers.set(named, (answers.get(named) ?? 0) + 1);
    if (status === 202) remember(body);
    outgoing.writeHead(status, retryAfter === undefined ? {} : { "Retry-After": retryAfter });
    outgoing.end(answer);
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    answers,
    async stop() {
      clearInterval(checks);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** The code of an error; none if it is no error of a collector. */
function codeOf(answer: Buffer): string[] {
  return /"code":"(\w+)"/.exec(answer.toString())?.slice(1) ?? [];
}

function answerOf(status: number): Answer {
  return { status, retryAfter: undefined, body: Buffer.alloc(0) };
}
