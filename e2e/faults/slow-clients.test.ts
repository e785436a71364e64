import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killProgram, startBuiltCollector, type BuiltCollector } from "../harness/built-collector.js";
import { experimentSize, IS_WHOLE, reportFinding, seconds } from "../harness/experiment.js";
import { batchOf, createHttpClient, telemetry, type HttpClient } from "../harness/http-client.js";
import { sendRaw, type RawOutcome } from "../harness/raw-socket.js";
import { expectCollectorUnharmed } from "../harness/unharmed-collector.js";
import { pause } from "../harness/until.js";

// Both wait for timeouts without an option, so they run at the same time.
let collector: BuiltCollector;
let client: HttpClient;

beforeAll(async () => {
  collector = await startBuiltCollector({ LOGGING_STRUCTURED: "true" });
  client = createHttpClient(collector.url, 20);
});

afterAll(async () => {
  client.close();
  await killProgram(collector);
});

/** Reports whether a promise has settled. */
function settledFlag(promise: Promise<unknown>): () => boolean {
  let settled = false;
  const settle = (): void => void (settled = true);
  promise.then(settle, settle);
  return () => settled;
}

describe.concurrent("slow clients", () => {
  const REQUEST = "POST /v1/telemetry HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const MEASURED = experimentSize(300, 2000);
  /** headersTimeout 10 s, requestTimeout 15 s, both checked every 2 s; the rest is for a slow machine. */
  const HEADERS_WITHIN_MS = 40_000;
  const BODY_WITHIN_MS = 45_000;
  /** Pause between the requests of the others, once their latency is known. */
  const BETWEEN_MS = 50;

  async function p99Of(requests: number): Promise<number> {
    const latenciesMs: number[] = [];
    for (let request = 0; request < requests; request++) {
      const sentAt = performance.now();
      await client.send(telemetry(batchOf(10, "measured"))).answer;
      latenciesMs.push(performance.now() - sentAt);
    }
    return latenciesMs.sort((a, b) => a - b)[Math.floor(requests * 0.99)] ?? 0;
  }

  it("reliability.md 15: are disconnected when they never end their headers or body, while others are served", async () => {
    const p99AloneMs = await p99Of(MEASURED);
    const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
    const silent = many(50, () => sendRaw(collector.port, { bytes: "", withinMs: HEADERS_WITHIN_MS }));
    const headers = many(75, () =>
      sendRaw(collector.port, { bytes: REQUEST, drip: "X-a: b\r\n", withinMs: HEADERS_WITHIN_MS }),
    );
    const bodies = many(75, () =>
      sendRaw(collector.port, {
        bytes: `${REQUEST}Content-Length: 100000\r\n\r\n{"spans":[`,
        drip: " ",
        withinMs: BODY_WITHIN_MS,
      }),
    );

    const all = Promise.all([Promise.all(silent), Promise.all(headers), Promise.all(bodies)]);
    const isOver = settledFlag(all);
    const p99BesideMs = await p99Of(MEASURED);
    const statuses: Record<number, number> = {};
    while (!isOver()) {
      const { status } = await client.send(telemetry(batchOf(10, "beside-slow-ones"))).answer;
      statuses[status] = (statuses[status] ?? 0) + 1;
      await pause(BETWEEN_MS);
    }

    expect(Object.keys(statuses)).toEqual(["202"]);
    const outcomes: RawOutcome[] = (await all).flat();
    expect(outcomes).toHaveLength(200);
    expect(outcomes.filter(({ closedByPeer }) => !closedByPeer)).toEqual([]);
    expect(outcomes.flatMap((each) => each.statuses).filter((status) => status !== 408)).toEqual([]);
    const longestMs = Math.max(...outcomes.map(({ openMs }) => openMs));
    reportFinding(
      15,
      `200 sockets: all closed after ${seconds(longestMs)}; p99 of others ${p99BesideMs.toFixed(1)} ms, ${p99AloneMs.toFixed(1)} ms without`,
    );
    if (IS_WHOLE) expect(p99BesideMs).toBeLessThanOrEqual(Math.max(2 * p99AloneMs, 10));
    await expectCollectorUnharmed(collector, client);
  });
});

describe.concurrent("slow imports", () => {
  const line = (number: number): string =>
    `${JSON.stringify({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: String(number).padStart(32, "a"),
                  spanId: "b".repeat(16),
                  name: "slow",
                  attributes: [{ key: "note", value: { stringValue: "x".repeat(2000) } }],
                },
              ],
            },
          ],
        },
      ],
    })}\n`;
  const LINES = 40;
  /** 15 s with too little of the file; the rest is for a slow machine. */
  const ENDED_WITHIN_MS = 45_000;

  it("may take longer than the request timeout, and end with a report when hardly any data arrives", async () => {
    const HEAD = "POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/jsonl\r\n";
    const stalled = sendRaw(collector.port, {
      bytes: `${HEAD}Content-Length: 1000000\r\n\r\n${line(900)}${line(901)}`,
      drip: "x",
      withinMs: ENDED_WITHIN_MS,
    });
    const startedAt = performance.now();
    const steady = await fetch(`${collector.url}/v1/import`, {
      method: "POST",
      headers: { "Content-Type": "application/jsonl" },
      body: new ReadableStream({
        async start(controller) {
          for (let number = 0; number < LINES; number++) {
            controller.enqueue(new TextEncoder().encode(line(number)));
            await pause(450);
          }
          controller.close();
        },
      }),
      duplex: "half",
    });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(17_000);
    expect(steady.status).toBe(200);
    expect(await steady.json()).toMatchObject({ lines: LINES, spans: LINES, refused_spans: 0 });
    const { statuses, received, closedByPeer } = await stalled;
    expect(statuses).toEqual([408]);
    expect(received).toContain('"spans":2');
    expect(received).toContain("after line 2");
    expect(closedByPeer).toBe(true);
    await expectCollectorUnharmed(collector, client);
  });
});
