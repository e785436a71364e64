import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killProgram, startBuiltCollector, type BuiltCollector } from "../harness/built-collector.js";
import { experimentSize, IS_WHOLE, reportFinding, seconds } from "../harness/experiment.js";
import { batchOf, createHttpClient, telemetry, type HttpClient } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { peakMemoryBytes } from "../harness/peak-memory.js";
import { sendRaw, type RawOutcome } from "../harness/raw-socket.js";
import { runProgram } from "../harness/shell.js";
import { pause } from "../harness/until.js";
import { fuzzedBodies, MARKER, randomRawRequests } from "./hostile-requests.js";

const SEED = 20_260_101;
/** Of each kind of fuzzed requests; made in portions, each with a seed of its own. */
const FUZZED = experimentSize(2000, 50_000);
const PORTION = 2000;
const MEBIBYTE = 1024 * 1024;

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

/** It answers, its ledger adds up, and nothing that nobody expected was logged. */
async function expectUnharmed(): Promise<void> {
  const id = `unharmed-${Math.random()}`;
  expect((await client.send(telemetry(batchOf(2, id))).answer).status).toBe(202);
  expectToAddUp(await ledgerAtRest(collector.url));
  const { status, body } = await client.send({ path: `/v1/traces/${id}` }).answer;
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ trace: { span_count: 2 } });
  expect(collector.stderr.filter((line) => /"level":"(ERROR|CRITICAL)"/.test(line))).toEqual([]);
  expect(collector.stderr.filter((line) => line.includes(MARKER))).toEqual([]);
  expect(collector.hasExited()).toBe(false);
}

/** Does something with each item, a number of them at a time. */
async function forEachInParallel<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  async function lane(): Promise<void> {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) await work(item, index);
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** The same with {@link FUZZED} items, made a portion at a time. */
async function forEachPortion<T>(
  make: (seed: number, count: number) => readonly T[],
  lanes: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < FUZZED; from += PORTION)
    await forEachInParallel(make(SEED + from, PORTION), lanes, (item, index) => work(item, from + index));
}

/** Tells whether a promise has come to something. */
function settledFlag(promise: Promise<unknown>): () => boolean {
  let settled = false;
  const settle = (): void => void (settled = true);
  promise.then(settle, settle);
  return () => settled;
}

describe("slow clients", () => {
  const REQUEST = "POST /v1/telemetry HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const MEASURED = 2000;
  /** headersTimeout 10 s, requestTimeout 15 s, both looked at every 2 s; the rest is for a slow machine. */
  const HEADERS_WITHIN_MS = 16_000;
  const BODY_WITHIN_MS = 21_000;

  async function p99Of(requests: number): Promise<number> {
    const latenciesMs: number[] = [];
    for (let request = 0; request < requests; request++) {
      const sentAt = performance.now();
      await client.send(telemetry(batchOf(10, "measured"))).answer;
      latenciesMs.push(performance.now() - sentAt);
    }
    return latenciesMs.sort((a, b) => a - b)[Math.floor(requests * 0.99)] ?? 0;
  }

  it("reliability.md 15: are cut off, whether they never end their headers or their body, while others are served", async () => {
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
    await expectUnharmed();
  });
});

describe("slow imports", () => {
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
  /** 15 s without enough of the file; the rest is for a slow machine. */
  const ENDED_WITHIN_MS = 30_000;

  it("take longer than a request may, and are ended with what was kept where hardly anything comes", async () => {
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
    await expectUnharmed();
  });
});

describe("requests beyond the limits", () => {
  it("headers over 16 KiB are refused with 431, and the connection is closed", async () => {
    const head = `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Large: ${"a".repeat(17 * 1024)}\r\n\r\n`;
    const { received, statuses, closedByPeer } = await sendRaw(collector.port, {
      bytes: head,
      withinMs: 5000,
    });
    expect({ statuses, closedByPeer }).toEqual({ statuses: [431], closedByPeer: true });
    expect(JSON.parse(received.split("\r\n\r\n")[1] ?? "")).toMatchObject({
      error: { code: "headers_too_large", message: expect.any(String), details: {} },
    });

    const fits = { "X-Large": "a".repeat(15 * 1024) };
    expect((await client.send({ path: "/health", headers: fits }).answer).status).toBe(200);
    await expectUnharmed();
  });

  it("a body over limits.max_body_bytes is refused, announced or not", async () => {
    const large = `{"spans":[],"pad":"${"a".repeat(11 * MEBIBYTE)}"}`;
    const { status, body } = await client.send(telemetry(large)).answer;
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ error: { code: "body_too_large" } });

    const chunk = `100000\r\n${"a".repeat(MEBIBYTE)}\r\n`;
    const chunked = `POST /v1/telemetry HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(12)}0\r\n\r\n`;
    const { statuses } = await sendRaw(collector.port, { bytes: chunked, end: true, withinMs: 10_000 });
    expect(statuses).toEqual([413]);
    await expectUnharmed();
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("a %s bomb is refused, and takes no more memory than the limit", async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(64 * MEBIBYTE));
    expect(bomb.byteLength).toBeLessThan(MEBIBYTE);
    const before = peakMemoryBytes(collector.pid);
    await forEachInParallel(new Array(40).fill(bomb), 4, async (each: Buffer) => {
      const { status, body } = await client.send(telemetry(each, { "Content-Encoding": encoding })).answer;
      expect(status).toBe(413);
      expect(JSON.parse(body)).toMatchObject({
        error: { code: "body_too_large", details: { max_body_bytes: 10 * MEBIBYTE } },
      });
    });
    // Four at a time, of 10 MiB each, several times over until the garbage is collected.
    expect(peakMemoryBytes(collector.pid) - before).toBeLessThan(256 * MEBIBYTE);
    await expectUnharmed();
  });
});

it("reliability.md 16: random raw requests: no 5xx, no crash, no echo of a body", async () => {
  const seen: Record<number, number> = {};
  await forEachPortion(randomRawRequests, 25, async (bytes, index) => {
    const { received, statuses } = await sendRaw(collector.port, { bytes, end: true, withinMs: 3000 });
    for (const status of statuses) seen[status] = (seen[status] ?? 0) + 1;
    const failed = statuses.some((status) => status >= 500) || received.includes(MARKER);
    expect({ index, failed: failed ? { request: bytes.toString("latin1"), received } : false }).toEqual({
      index,
      failed: false,
    });
  });
  // Some get through to the routes, and some no further than the parser of HTTP.
  for (const status of [200, 202, 400, 403, 404, 415, 431])
    expect(seen, `${status}`).toHaveProperty(`${status}`);
  reportFinding(
    16,
    `${FUZZED} random raw requests: no 5xx, no crash, no echo; answers ${JSON.stringify(seen)}`,
  );
  await expectUnharmed();
});

it("reliability.md 16: fuzzed JSON bodies: each is taken or refused in the one shape of errors, and none is echoed", async () => {
  const seen: Record<number, number> = {};
  await forEachPortion(fuzzedBodies, 20, async (text, index) => {
    const compressed = index % 5 === 0;
    const outgoing = compressed ? telemetry(gzipSync(text), { "Content-Encoding": "gzip" }) : telemetry(text);
    const { status, body } = await client.send(outgoing).answer;
    seen[status] = (seen[status] ?? 0) + 1;
    const answer = JSON.parse(body) as Record<string, unknown>;
    const wanted =
      status === 202
        ? { status: "accepted", spans_received: expect.any(Number) }
        : { error: { code: expect.any(String), message: expect.any(String), details: expect.any(Object) } };
    expect({ index, text, status, answer }).toEqual({ index, text, status, answer: wanted });
    expect([202, 400]).toContain(status);
    expect(body).not.toContain(MARKER);
  });
  // The fuzzing is worth something only where both happen.
  expect(seen[202]).toBeGreaterThan(300);
  expect(seen[400]).toBeGreaterThan(300);
  reportFinding(16, `${FUZZED} fuzzed bodies: every one taken or refused; answers ${JSON.stringify(seen)}`);
  await expectUnharmed();
});

it("what the hostile requests left behind can be read: every trace, and every metric", async () => {
  const { status, body } = await client.send({ path: "/v1/traces?limit=1000" }).answer;
  expect(status).toBe(200);
  const { traces } = JSON.parse(body) as { traces: { trace_id: string }[] };
  expect(traces.length).toBeGreaterThan(100);
  // Half a surrogate pair is an id like any other, but no address can hold it.
  const addressable = traces.filter(({ trace_id: id }) => !/\p{Surrogate}/u.test(id));
  expect(addressable.length).toBeGreaterThan(traces.length - 10);
  await forEachInParallel(addressable, 20, async ({ trace_id: id }) => {
    const answer = await client.send({ path: `/v1/traces/${encodeURIComponent(id)}?full=1` }).answer;
    expect({ id, status: answer.status }).toEqual({ id, status: 200 });
    expect(JSON.parse(answer.body)).toMatchObject({ trace: { trace_id: id } });
  });

  const metrics = await client.send({ path: "/metrics" }).answer;
  const { code, stderr } = await runProgram("promtool", ["check", "metrics"], { input: metrics.body });
  // 1 is a text that cannot be parsed; 3 is a name that is not to promtool's taste.
  expect({ isParsed: code !== 1, stderr: code === 1 ? stderr : "" }).toEqual({ isParsed: true, stderr: "" });
  expect(metrics.body).not.toMatch(/ NaN$/m);
});

it("after all of it SIGTERM ends the collector in order", async () => {
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
  expectToAddUp(collector.lastLedger());
});
