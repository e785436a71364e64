import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killProgram, startBuiltCollector, type BuiltCollector } from "../harness/built-collector.js";
import { experimentSize, reportFinding } from "../harness/experiment.js";
import { batchOf, createHttpClient, telemetry, type HttpClient } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { until } from "../harness/until.js";
import { expectCollectorUnharmed } from "../harness/unharmed-collector.js";
import { peakMemoryBytes } from "../harness/peak-memory.js";
import { sendRaw } from "../harness/raw-socket.js";
import { runProgram } from "../harness/shell.js";
import { fuzzedBodies, MARKER, randomRawRequests } from "./hostile-requests.js";

const SEED = 20_260_101;
/** Fuzzed requests of each kind, generated in portions with a seed each. */
const FUZZED = experimentSize(1000, 50_000);
const PORTION = 1000;
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

/** Expects that the log contains nothing of a body. */
async function expectUnharmed(): Promise<void> {
  await expectCollectorUnharmed(collector, client);
  expect(collector.stderr.filter((line) => line.includes(MARKER))).toEqual([]);
}

/** Runs an action for each item, with a limited concurrency. */
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

/** The same for {@link FUZZED} items, generated in portions. */
async function forEachPortion<T>(
  make: (seed: number, count: number) => readonly T[],
  lanes: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < FUZZED; from += PORTION)
    await forEachInParallel(make(SEED + from, PORTION), lanes, (item, index) => work(item, from + index));
}

describe("requests beyond the limits", () => {
  it("refuses headers over 16 KiB with 431 and closes the connection", async () => {
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

  it("refuses a body over limits.max_body_bytes, with or without Content-Length", async () => {
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
    // The default quality takes many times as long for the same size.
    ["br", (bomb: Buffer) => brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ] as const)("refuses a %s bomb without more memory than the limit", async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(32 * MEBIBYTE));
    expect(bomb.byteLength).toBeLessThan(MEBIBYTE);
    const before = peakMemoryBytes(collector.pid);
    await forEachInParallel(new Array(16).fill(bomb), 4, async (each: Buffer) => {
      const { status, body } = await client.send(telemetry(each, { "Content-Encoding": encoding })).answer;
      expect(status).toBe(413);
      expect(JSON.parse(body)).toMatchObject({
        error: { code: "body_too_large", details: { max_body_bytes: 10 * MEBIBYTE } },
      });
    });
    // Four at a time, of 10 MiB each, several times until the garbage collector runs.
    expect(peakMemoryBytes(collector.pid) - before).toBeLessThan(256 * MEBIBYTE);
    await expectUnharmed();
  });
});

it("reliability.md 16: answers random raw requests without a 5xx, a crash or an echo of a body", async () => {
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
  // Some reach the routes, others only the HTTP parser.
  for (const status of [200, 202, 400, 403, 404, 415, 431])
    expect(seen, `${status}`).toHaveProperty(`${status}`);
  reportFinding(
    16,
    `${FUZZED} random raw requests: no 5xx, no crash, no echo; responses ${JSON.stringify(seen)}`,
  );
  // A client that leaves does not end its request: a DELETE of all traces may still be under way.
  let round = 0;
  await until("a trace stays", async () => {
    const id = `stays-${round++}`;
    await client.send(telemetry(batchOf(1, id))).answer;
    await ledgerAtRest(collector.url);
    return (await client.send({ path: `/v1/traces/${id}` }).answer).status === 200 ? id : undefined;
  });
  await expectUnharmed();
});

it("reliability.md 16: accepts fuzzed JSON bodies or refuses them in the error shape, and echoes none", async () => {
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
  // The fuzzing is useful only if both happen.
  expect(seen[202]).toBeGreaterThan(300);
  expect(seen[400]).toBeGreaterThan(300);
  reportFinding(16, `${FUZZED} fuzzed bodies: each accepted or refused; responses ${JSON.stringify(seen)}`);
  await expectUnharmed();
});

it("reads every trace and every metric after the hostile requests", async () => {
  const { status, body } = await client.send({ path: "/v1/traces?limit=1000" }).answer;
  expect(status).toBe(200);
  const { traces } = JSON.parse(body) as { traces: { trace_id: string }[] };
  expect(traces.length).toBeGreaterThan(100);
  // Half a surrogate pair is a valid id, but a URL cannot contain it.
  const addressable = traces.filter(({ trace_id: id }) => !/\p{Surrogate}/u.test(id));
  expect(addressable.length).toBeGreaterThan(traces.length - 10);
  await forEachInParallel(addressable, 20, async ({ trace_id: id }) => {
    const answer = await client.send({ path: `/v1/traces/${encodeURIComponent(id)}?full=1` }).answer;
    expect({ id, status: answer.status }).toEqual({ id, status: 200 });
    expect(JSON.parse(answer.body)).toMatchObject({ trace: { trace_id: id } });
  });

  const metrics = await client.send({ path: "/metrics" }).answer;
  const { code, stderr } = await runProgram("promtool", ["check", "metrics"], { input: metrics.body });
  // Exit code 1 is a parse error; 3 is a lint warning about a name.
  expect({ isParsed: code !== 1, stderr: code === 1 ? stderr : "" }).toEqual({ isParsed: true, stderr: "" });
  expect(metrics.body).not.toMatch(/ NaN$/m);
});

it("stops in order on SIGTERM after the hostile requests", async () => {
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
  expectToAddUp(collector.lastLedger());
});
