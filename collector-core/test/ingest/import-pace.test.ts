import { once } from "node:events";
import { createServer, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../src/contract/errors.js";
import { createImportRoute, type ImportRouteOptions } from "../../src/ingest/import-route.js";
import { createOwnPace } from "../../src/ingest/own-pace.js";
import { systemClock } from "../../src/system-clock.js";

const line = (traceId: string, name = "run"): string =>
  `${JSON.stringify({
    resourceSpans: [
      { scopeSpans: [{ spans: [{ traceId: traceId.padStart(32, "0"), spanId: "b".repeat(16), name }] }] },
    ],
  })}\n`;
const spansLine = (count: number): string =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: Array.from({ length: count }, (_, index) => ({
              traceId: "a".repeat(32),
              spanId: String(index + 1).padStart(16, "0"),
              name: "run",
            })),
          },
        ],
      },
    ],
  });

/** The route behind a server whose own time limit is over long before that of the route. */
async function serveImports(options: Partial<ImportRouteOptions> = {}) {
  const ownPace = createOwnPace(50);
  const aborted: string[] = [];
  const pieces: number[] = [];
  const route = createImportRoute({
    importSpans: async (_context, spans) => {
      pieces.push(spans.length);
      return { imported: spans.length, evictedTraces: 0 };
    },
    gate: { enter: () => ({}), enterService: (_service, headers) => headers },
    readTenant: () => "",
    clock: systemClock,
    maxBodyBytes: 1_000_000,
    count: () => undefined,
    isStopping: () => false,
    ownPace,
    onAborted: (kept) => void aborted.push(kept),
    lineBudget: { require: () => undefined, giveBack: () => undefined },
    pace: { windowMs: 5000, minBytes: 20 },
    ...options,
  });
  let timeouts = 0;
  const server = createServer(
    { requestTimeout: 60, headersTimeout: 50, connectionsCheckingInterval: 20 },
    (request, response) => {
      Promise.resolve(route.handle(request)).then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        (error: unknown) => {
          const known = error instanceof ApiError ? error : new ApiError("internal_error", String(error));
          request.resume();
          response.writeHead(known.status, known.headers).end(JSON.stringify(known.toBody()));
        },
      );
    },
  );
  server.on("clientError", (error, socket) => {
    timeouts++;
    if (!ownPace.spares(error, socket as never)) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    aborted,
    pieces,
    timeouts: () => timeouts,
    open(headers: Record<string, string> = {}): ClientRequest {
      const sent = httpRequest({
        host: "127.0.0.1",
        port,
        method: "POST",
        headers: { "Content-Type": "application/jsonl", ...headers },
      });
      sent.on("error", () => undefined);
      return sent;
    },
  };
}

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; body: unknown }> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, body: JSON.parse(text) as unknown };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const IMPATIENT = { windowMs: 150, minBytes: 20 };

describe("POST /v1/import, from a slow sender", () => {
  it("takes a file that comes more slowly than the server lets a request take", async () => {
    const { open, timeouts } = await serveImports();
    const sent = open();
    const answer = answerOf(sent);
    for (let number = 1; number <= 6; number++) {
      sent.write(line(String(number)));
      await pause(50);
    }
    sent.end();
    expect(await answer).toMatchObject({ status: 200, body: { lines: 6, spans: 6, traces: 6 } });
    expect(timeouts()).toBeGreaterThan(0);
  });

  it("ends one that hardly comes, and says what was kept and where it stopped", async () => {
    const { open } = await serveImports({ pace: IMPATIENT });
    const sent = open();
    sent.write(`${line("1")}nonsense\n${line("2")}\n${line("3").slice(0, 30)}`);
    const drip = setInterval(() => sent.write("x"), 40);
    onTestFinished(() => clearInterval(drip));
    const { status, body } = await answerOf(sent);
    expect(status).toBe(408);
    expect(body).toMatchObject({
      error: {
        code: "request_timeout",
        details: { lines: 3, refused_lines: 1, spans: 2, traces: 2, refused_spans: 0, line: 3 },
      },
    });
    expect((body as { error: { message: string } }).error.message).toContain(
      "The import ended after line 3: 2 spans of 2 traces are kept",
    );
    await once(sent, "close");
  });

  it("says it of a compressed file too", async () => {
    const { open } = await serveImports({ pace: IMPATIENT });
    const sent = open({ "Content-Encoding": "gzip" });
    const zip = createGzip();
    zip.pipe(sent);
    zip.write(line("1"));
    zip.flush();
    expect(await answerOf(sent)).toMatchObject({ status: 408, body: { error: { details: { spans: 1 } } } });
  });

  it("does not count the time that lines take", async () => {
    const { open } = await serveImports({
      pace: { windowMs: 300, minBytes: 20 },
      importSpans: async (_context, spans) => {
        await pause(400);
        return { imported: spans.length, evictedTraces: 0 };
      },
    });
    const sent = open();
    sent.end(line("1") + line("2"));
    expect(await answerOf(sent)).toMatchObject({ status: 200, body: { spans: 2 } });
  });

  it("lets others import meanwhile", async () => {
    const { open } = await serveImports({ pace: { windowMs: 60_000, minBytes: 1 } });
    const slow = Array.from({ length: 7 }, () => open());
    for (const sent of slow) sent.write(line("1"));
    const quick = open();
    quick.end(line("2"));
    expect(await answerOf(quick)).toMatchObject({ status: 200 });
    for (const sent of slow) sent.destroy();
  });

  it("ends the connection of an import that was answered and goes on", async () => {
    const { open } = await serveImports({ isStopping: () => true });
    const sent = open();
    const drip = setInterval(() => sent.write(line("1")), 20);
    onTestFinished(() => clearInterval(drip));
    sent.write(line("1"));
    await once(sent, "close");
  });

  it("tells the log what is kept where the sender went away", async () => {
    const { open, aborted } = await serveImports();
    const sent = open();
    sent.write(line("1"));
    await pause(30);
    sent.destroy();
    while (aborted.length === 0) await pause(5);
    expect(aborted).toEqual([expect.stringContaining("after line 1: 1 spans of 1 traces are kept")]);
  });
});

describe("POST /v1/import that fails on the way", () => {
  it.each([
    [
      "the store fails",
      (isSecond: boolean) => {
        if (isSecond) throw new Error("disk");
      },
      500,
      "internal_error",
    ],
    [
      "there is no room",
      (isSecond: boolean) => {
        if (isSecond) throw new ApiError("shutting_down", "no room");
      },
      503,
      "shutting_down",
    ],
  ])("says what was kept where %s", async (_what, failWhen, status, code) => {
    let lines = 0;
    const { open } = await serveImports({
      importSpans: async (_context, spans) => {
        failWhen(++lines === 2);
        return { imported: spans.length, evictedTraces: 0 };
      },
    });
    const sent = open();
    sent.end(line("1") + line("2") + line("3"));
    expect(await answerOf(sent)).toMatchObject({
      status,
      body: { error: { code, details: { lines: 2, spans: 1, line: 2 } } },
    });
  });

  it("says it where what follows is not what Content-Encoding says", async () => {
    const { open } = await serveImports();
    const sent = open({ "Content-Encoding": "gzip" });
    const zip = createGzip();
    const chunks: Buffer[] = [];
    zip.on("data", (chunk: Buffer) => chunks.push(chunk));
    zip.write(line("1"));
    await new Promise<void>((resolve) => zip.flush(resolve));
    sent.write(Buffer.concat(chunks));
    await pause(100);
    sent.end("this is no gzip at all, and long enough to be looked at");
    expect(await answerOf(sent)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_encoding", details: { spans: 1, line: 1 } } },
    });
  });

  it("gives back what it was charged for lines, whole, too long or broken off", async () => {
    let held = 0;
    let most = 0;
    const lineBudget = {
      require(bytes: number) {
        held += bytes;
        most = Math.max(most, held);
      },
      giveBack(bytes: number) {
        held -= bytes;
      },
    };
    const { open, aborted } = await serveImports({ lineBudget, maxBodyBytes: 1000 });
    const whole = open();
    whole.end(`${line("1")}${"x".repeat(10_000)}\n${line("2")}`);
    expect(await answerOf(whole)).toMatchObject({ status: 200, body: { spans: 2, refused_lines: 1 } });
    expect(held).toBe(0);
    expect(most).toBeLessThanOrEqual(4000);
    const broken = open();
    broken.write(line("1") + line("2").slice(0, 50));
    await pause(30);
    broken.destroy();
    while (aborted.length === 0) await pause(5);
    expect(held).toBe(0);
  });

  it("takes the spans of a long line some at a time", async () => {
    const { open, pieces } = await serveImports();
    const sent = open();
    sent.end(spansLine(1050));
    expect(await answerOf(sent)).toMatchObject({ status: 200, body: { spans: 1050, traces: 1 } });
    expect(Math.max(...pieces)).toBe(100);
  });
});
