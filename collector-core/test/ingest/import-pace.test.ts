import { once } from "node:events";
import { createGzip, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import { importInto, answerOf, FAKED, line, REST_MS, serveImports, until } from "./import-server.js";

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

const IMPATIENT = { windowMs: 150, minBytes: 20 };

beforeEach(() => void vi.useFakeTimers({ toFake: [...FAKED.toFake] }));
afterEach(() => void vi.useRealTimers());

/** Calls `write` every 80 ms for `forMs`. */
async function drip(forMs: number, write: () => void): Promise<void> {
  for (let ms = 0; ms < forMs; ms += 80) {
    write();
    await vi.advanceTimersByTimeAsync(80);
  }
}

describe("POST /v1/import from a slow sender", () => {
  it("accepts a file that takes longer than the request timeout of the server", async () => {
    const { open, timeouts } = await serveImports({}, 50);
    const sent = open();
    sent.write(line("1"));
    await until(() => timeouts() > 0);
    sent.end(line("2"));
    expect(await answerOf(sent)).toMatchObject({ status: 200, body: { lines: 2, spans: 2, traces: 2 } });
  });

  it("ends a stalled import and reports the stored spans and the last line", async () => {
    const { open, pieces } = await serveImports({ pace: IMPATIENT });
    const sent = open();
    sent.write(`${line("1")}nonsense\n${line("2")}\n${line("3").slice(0, 30)}`);
    const answer = answerOf(sent);
    await until(() => pieces.length === 2);
    await drip(4 * IMPATIENT.windowMs, () => sent.write("x"));
    const { status, body } = await answer;
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
    if (!sent.closed) await once(sent, "close");
  });

  it("ends a stalled import of a compressed file", async () => {
    const { open, pieces } = await serveImports({ pace: IMPATIENT });
    const sent = open({ "Content-Encoding": "gzip" });
    const zip = createGzip();
    zip.pipe(sent);
    zip.write(line("1"));
    zip.flush();
    const answer = answerOf(sent);
    await until(() => pieces.length === 1);
    await vi.advanceTimersByTimeAsync(2 * IMPATIENT.windowMs);
    expect(await answer).toMatchObject({ status: 408, body: { error: { details: { spans: 1 } } } });
  });

  it("does not count the processing time of lines", async () => {
    const { open } = await serveImports({
      pace: { windowMs: 300, minBytes: 20 },
      beginImport: importInto(async (_context, spans) => {
        await vi.advanceTimersByTimeAsync(400);
        return spans.length;
      }),
    });
    const sent = open();
    sent.end(line("1") + line("2"));
    expect(await answerOf(sent)).toMatchObject({ status: 200, body: { spans: 2 } });
  });

  it("accepts other imports during slow ones", async () => {
    const { open } = await serveImports({ pace: { windowMs: 60_000, minBytes: 1 } });
    const slow = Array.from({ length: 7 }, () => open());
    for (const sent of slow) sent.write(line("1"));
    const quick = open();
    quick.end(line("2"));
    expect(await answerOf(quick)).toMatchObject({ status: 200 });
    for (const sent of slow) sent.destroy();
  });

  it("ends the connection of an import that continues after its response", async () => {
    let isStopping = false;
    const { open, pieces } = await serveImports({ isStopping: () => isStopping });
    const sent = open();
    sent.write(line("1"));
    await until(() => pieces.length === 1);
    isStopping = true;
    sent.write(line("2"));
    expect(await answerOf(sent)).toMatchObject({ status: 503 });
    sent.write(line("3"));
    await vi.advanceTimersByTimeAsync(REST_MS);
    if (!sent.closed) await once(sent, "close");
  });

  it("reports the stored spans when the sender disconnects", async () => {
    const { open, aborted, pieces } = await serveImports();
    const sent = open();
    sent.write(line("1"));
    await until(() => pieces.length === 1);
    sent.destroy();
    await until(() => aborted.length > 0);
    expect(aborted).toEqual([expect.stringContaining("after line 1: 1 spans of 1 traces are kept")]);
  });
});

describe("POST /v1/import that fails midway", () => {
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
      "the store refuses spans",
      (isSecond: boolean) => {
        if (isSecond) throw new ApiError("shutting_down", "no room");
      },
      503,
      "shutting_down",
    ],
  ])("reports the stored spans if %s", async (_what, failWhen, status, code) => {
    let lines = 0;
    const { open } = await serveImports({
      beginImport: importInto(async (_context, spans) => {
        failWhen(++lines === 2);
        return spans.length;
      }),
    });
    const sent = open();
    sent.end(line("1") + line("2") + line("3"));
    expect(await answerOf(sent)).toMatchObject({
      status,
      body: { error: { code, details: { lines: 2, spans: 1, line: 2 } } },
    });
  });

  it("reports the stored spans if the rest is not valid gzip", async () => {
    const { open, pieces } = await serveImports();
    const sent = open({ "Content-Encoding": "gzip" });
    const zip = createGzip();
    const chunks: Buffer[] = [];
    zip.on("data", (chunk: Buffer) => chunks.push(chunk));
    zip.write(line("1"));
    await new Promise<void>((resolve) => zip.flush(resolve));
    sent.write(Buffer.concat(chunks));
    await until(() => pieces.length === 1);
    sent.end("this is not gzip, and it is long enough to be decompressed");
    expect(await answerOf(sent)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_encoding", details: { spans: 1, line: 1 } } },
    });
  });

  it("releases the charge of complete, too long and incomplete lines", async () => {
    let held = 0;
    let most = 0;
    const lineBudget = {
      require(bytes: number) {
        held += bytes;
        most = Math.max(most, held);
      },
      release(bytes: number) {
        held -= bytes;
      },
    };
    const { open, aborted, pieces } = await serveImports({ lineBudget, maxBodyBytes: 1000 });
    const whole = open();
    whole.end(`${line("1")}${"x".repeat(10_000)}\n${line("2")}`);
    expect(await answerOf(whole)).toMatchObject({ status: 200, body: { spans: 2, refused_lines: 1 } });
    expect(held).toBe(0);
    expect(most).toBeLessThanOrEqual(4000);
    const broken = open();
    broken.write(line("1") + line("2").slice(0, 50));
    await until(() => pieces.length === 3);
    broken.destroy();
    await until(() => aborted.length > 0);
    expect(held).toBe(0);
  });

  it("stores no bytes of a long blank line and imports the lines around it", async () => {
    let most = 0;
    const lineBudget = {
      require: (bytes: number) => void (most = Math.max(most, bytes)),
      release: () => undefined,
    };
    const { open } = await serveImports({ lineBudget, maxBodyBytes: 2_500_000 });
    const sent = open({ "Content-Encoding": "gzip" });
    const blank = Buffer.alloc(10_000_000, " ");
    sent.end(gzipSync(Buffer.concat([Buffer.from(line("1")), blank, Buffer.from(`\n ${line("2")}`), blank])));
    expect(await answerOf(sent)).toMatchObject({ status: 200, body: { spans: 2, refused_lines: 0 } });
    expect(most).toBeLessThan(1_000_000);
  });

  it("skips twenty million newlines", async () => {
    const { open } = await serveImports();
    const sent = open({ "Content-Encoding": "gzip" });
    const newlines = Buffer.alloc(10_000_000, "\n");
    sent.end(gzipSync(Buffer.concat([Buffer.from(line("1")), newlines, Buffer.from("{"), newlines])));
    expect(await answerOf(sent)).toMatchObject({ status: 200, body: { spans: 1, refused_lines: 1 } });
  });

  it("stores the spans of a long line in groups of 100", async () => {
    const { open, pieces } = await serveImports();
    const sent = open();
    sent.end(spansLine(1050));
    expect(await answerOf(sent)).toMatchObject({ status: 200, body: { spans: 1050, traces: 1 } });
    expect(Math.max(...pieces)).toBe(100);
  });
});
