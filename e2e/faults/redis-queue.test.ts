import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRedisServer, type RedisServer } from "../../collector-core/test/queue/redis/redis-server.js";
import { killProgram, startBuiltCollector, type BuiltCollector } from "../harness/built-collector.js";
import { experimentSize, reportFinding, seconds } from "../harness/experiment.js";
import { batchOf } from "../harness/http-client.js";
import { sum } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";
import { startSplittingProxy, type SplittingProxy } from "../harness/splitting-proxy.js";
import { pause, until } from "../harness/until.js";

const SPANS = 10;
/** Requests a minute from an address. */
const LIMIT = 30;

let redis: RedisServer;
/** Between the second collector and Redis. */
let proxy: SplittingProxy;
let directory: string;
let first: BuiltCollector;
let second: BuiltCollector;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "obspan-replicas-"));
  redis = await startRedisServer("--requirepass", "SECRET-7");
  proxy = await startSplittingProxy(Number(new URL(redis.url).port));
  const split = `redis://127.0.0.1:${proxy.port}`;
  [first, second] = await Promise.all([startReplica("first"), startReplica("second", split)]);
});
afterAll(async () => {
  await Promise.all([first, second].map(killProgram));
  await proxy.stop();
  await redis.stop();
  rmSync(directory, { recursive: true });
});

/** A collector on the Redis of this file, with its own traces on disk. They are saved, and batches acknowledged, once a second. */
async function startReplica(name: string, redisUrl = redis.url): Promise<BuiltCollector> {
  const collector = await startBuiltCollector({
    QUEUE_URL: redisUrl.replace("://", "://default:SECRET-7@"),
    QUEUE_REPLICA_ID: name,
    TRACE_STORE_PATH: join(directory, name),
    TRACE_STORE_DISK_MIN_FREE_BYTES: "0",
    TRACE_STORE_COMMIT_INTERVAL_MS: "1000",
    RATE_LIMIT_ENABLED: "true",
    RATE_LIMIT_PER_IP_RPM: String(LIMIT),
    RATE_LIMIT_PER_SERVICE_RPM: "1000000",
    TRUSTED_PROXIES: "127.0.0.1",
  });
  await until(`${name} is ready`, async () => ((await ready(collector)).status === 200 ? true : undefined));
  return collector;
}

async function ready({ url }: BuiltCollector): Promise<{ status: number; reasons: string[] }> {
  const response = await fetch(`${url}/ready`);
  const { reasons = [] } = (await response.json()) as { reasons?: string[] };
  return { status: response.status, reasons };
}

let senders = 0;

/** @param address - of the sender. Default: another one for each request. */
async function send({ url }: BuiltCollector, traceId: string, address?: string): Promise<Response> {
  senders++;
  return await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Forwarded-For": address ?? `10.${senders >> 16}.${(senders >> 8) & 255}.${senders & 255}`,
    },
    body: JSON.stringify({ ...batchOf(SPANS, traceId), batch_id: traceId }),
  });
}

async function sendAll(collectors: readonly BuiltCollector[], traceIds: readonly string[]): Promise<void> {
  const statuses = await Promise.all(
    traceIds.map(async (traceId, index) => {
      const collector = collectors[index % collectors.length] as BuiltCollector;
      return (await send(collector, traceId)).status;
    }),
  );
  expect(statuses).toEqual(traceIds.map(() => 202));
}

function ids(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

async function queued(): Promise<number> {
  return Number(await redis.command("XLEN", "obspan:q"));
}

async function nothingQueued(): Promise<void> {
  await until("the queue is empty", async () => ((await queued()) === 0 ? true : undefined), 30_000);
}

/** The spans of each trace of a collector. */
async function tracesOf({ url }: BuiltCollector): Promise<Map<string, number>> {
  const response = await fetch(`${url}/v1/traces?limit=1000`);
  const { traces } = (await response.json()) as { traces: { trace_id: string; span_count: number }[] };
  return new Map(traces.map(({ trace_id: id, span_count: spans }) => [id, spans]));
}

/** Accepted and processed spans of both collectors. */
async function totals(): Promise<{ accepted: number; processed: number }> {
  const samples = await Promise.all([first, second].map(async ({ url }) => await scrape(url)));
  const total = (name: string): number => samples.reduce((all, { value }) => all + value(name), 0);
  return { accepted: total("obs_spans_accepted_total"), processed: total("obs_spans_processed_total") };
}

/** How often the collectors decided alone about a rate limit. */
async function decidedAlone(): Promise<number> {
  const samples = await Promise.all([first, second].map(async ({ url }) => await scrape(url)));
  return samples.reduce(
    (all, { by }) => all + (by("obs_shared_state_missed_total", "state")["rate_limits"] ?? 0),
    0,
  );
}

/** Waits until a collector accepts batches and shares its state. */
async function sharing(collector: BuiltCollector): Promise<void> {
  await until("it is ready and shares", async () => {
    const { value } = await scrape(collector.url);
    const isReady = (await ready(collector)).status === 200;
    return isReady && value("obs_shared_state_available") === 1 ? true : undefined;
  });
}

it("contract 4, the ledger: two collectors share a queue, and their sums add up", async () => {
  const sent = ids("shared", 40);
  await sendAll([first, second], sent);
  // A sender that got no answer sends again, to the other one.
  expect((await send(second, sent[0] ?? "")).status).toBe(202);
  await nothingQueued();
  const [a, b] = await Promise.all([first, second].map(async ({ url }) => await scrape(url)));
  const total = (name: string): number => (a?.value(name) ?? 0) + (b?.value(name) ?? 0);
  expect(total("obs_batches_duplicate_total")).toBe(1);
  await until("all are counted", async () => {
    const samples = await Promise.all([first, second].map(async ({ url }) => await scrape(url)));
    const processed = samples.map((each) => each.value("obs_spans_processed_total"));
    return processed.reduce((all, spans) => all + spans) === sent.length * SPANS ? true : undefined;
  });
  expect(total("obs_spans_accepted_total")).toBe(sent.length * SPANS);
  expect(sum(a?.by("obs_spans_dropped_total", "reason") ?? {})).toBe(0);
});

it("loses nothing that was accepted when a collector is killed: another one, or its own file, has it", async () => {
  const sent: string[] = [];
  const held = await until("it holds batches that it has not acknowledged", async () => {
    const more = ids(`killed-${sent.length}`, 20);
    await sendAll([first, second], more);
    sent.push(...more);
    // It acknowledges nothing while it is looked at.
    first.signal("SIGSTOP");
    const unacknowledged = await heldBy("first");
    if (unacknowledged.length > 0) return unacknowledged;
    first.signal("SIGCONT");
    return undefined;
  });
  first.signal("SIGKILL");
  await first.exit;
  const later = ids("later", 10);
  await sendAll([second], later);
  // Half a minute passes.
  for (const id of held)
    await redis.command("XCLAIM", "obspan:q", "workers", "first", "0", id, "IDLE", "31000", "JUSTID");
  await nothingQueued();
  expect((await scrape(second.url)).value("obs_queue_redelivered_batches_total")).toBe(held.length);

  first = await startReplica("first");
  const stored = [await tracesOf(first), await tracesOf(second)];
  const spansOf = (id: string): number => Math.max(...stored.map((traces) => traces.get(id) ?? 0));
  expect([...sent, ...later].filter((id) => spansOf(id) !== SPANS)).toEqual([]);
});

async function heldBy(replica: string): Promise<string[]> {
  const entries = await redis.command("XPENDING", "obspan:q", "workers", "-", "+", "1000", replica);
  return entries.filter((line) => /^\d+-\d+$/.test(line));
}

it("refuses batches with 503 while Redis does not answer, and answers queries", async () => {
  redis.signal("SIGSTOP");
  try {
    const refused = await send(second, "refused");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ error: { code: "queue_unavailable" } });
    expect(await ready(second)).toEqual({ status: 503, reasons: ["queue_unavailable"] });
    expect((await tracesOf(second)).size).toBeGreaterThan(0);
  } finally {
    redis.signal("SIGCONT");
  }
  await until("it is ready", async () => ((await ready(second)).status === 200 ? true : undefined));
  expect(await queued()).toBe(0);
  expect((await send(second, "refused")).status).toBe(202);
});

it("keeps what was accepted over a restart of Redis, and answers 429 while its memory is full", async () => {
  await send(second, "before-restart");
  await redis.kill();
  await redis.start();
  await until("it is ready", async () => ((await ready(second)).status === 200 ? true : undefined));
  await nothingQueued();
  const stored = [await tracesOf(first), await tracesOf(second)];
  expect(stored.some((traces) => traces.get("before-restart") === SPANS)).toBe(true);

  await redis.command("CONFIG", "SET", "maxmemory", "1");
  const refused = await send(second, "full");
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: "queue_full" } });
  await redis.command("CONFIG", "SET", "maxmemory", "0");
  expect((await send(second, "full")).status).toBe(202);
});

it("reliability.md 23, a network split of one collector: nothing is lost, and nothing counts twice", async () => {
  await nothingQueued();
  const before = await totals();
  const sent = ids("split", 20);
  await sendAll([first, second], sent);
  proxy.split();
  const startedAtMs = performance.now();
  const refused = await send(second, "while-split");
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: "queue_unavailable" } });
  expect(await ready(second)).toEqual({ status: 503, reasons: ["queue_unavailable"] });
  expect((await tracesOf(second)).size).toBeGreaterThan(0);
  await until("it decides alone", async () => {
    const { value } = await scrape(second.url);
    return value("obs_shared_state_available") === 0 ? true : undefined;
  });
  expect((await send(first, "other-side")).status).toBe(202);
  // At full size the other collector takes over what this one holds, which it still acknowledges later.
  await pause(experimentSize(0, 45_000));
  proxy.heal();
  const splitMs = performance.now() - startedAtMs;
  await until("it is ready", async () => ((await ready(second)).status === 200 ? true : undefined), 30_000);
  expect((await send(second, "while-split")).status).toBe(202);
  // What was on its way to the collector when connections were given up is taken over after half a minute.
  await until("the queue is empty", async () => ((await queued()) === 0 ? true : undefined), 50_000);
  const expected = (sent.length + 2) * SPANS;
  await until("all are counted", async () =>
    (await totals()).processed - before.processed === expected ? true : undefined,
  );
  expect((await totals()).accepted - before.accepted).toBe(expected);
  const stored = [await tracesOf(first), await tracesOf(second)];
  const missing = [...sent, "while-split", "other-side"].filter((id) =>
    stored.every((traces) => traces.get(id) !== SPANS),
  );
  expect(missing).toEqual([]);
  reportFinding(23, `split for ${seconds(splitMs)}: no trace lost, accepted = processed = ${expected}`);
});

it("reliability.md 24, Redis restarts while limits are shared: a sender gets its limit once", async () => {
  const restarts = experimentSize(1, 10);
  const alone = await decidedAlone();
  const startedAtMs = performance.now();
  const statuses: string[] = [];
  for (let round = 0; round <= restarts; round++) {
    for (const id of ids(`limited-${round}`, LIMIT + 10)) {
      const [name, collector] = statuses.length % 2 === 0 ? ["first", first] : ["second", second];
      statuses.push(`${name} ${(await send(collector, id, "192.0.2.7")).status}`);
    }
    if (round === restarts) break;
    await redis.kill();
    expect((await send(first, "away", "192.0.2.8")).status).toBe(503);
    await redis.start();
    for (const each of [first, second]) await sharing(each);
  }
  const minutes = (performance.now() - startedAtMs) / 60_000;
  const accepted = statuses.filter((each) => each.endsWith("202")).length;
  const most = LIMIT * (1 + minutes) + (await decidedAlone()) - alone;
  expect(accepted).toBeLessThanOrEqual(most);
  expect(accepted).toBeGreaterThanOrEqual(LIMIT);
  expect([...new Set(statuses)].toSorted()).toEqual(["first 202", "first 429", "second 202", "second 429"]);
  reportFinding(
    24,
    `${restarts} restarts: ${accepted} of ${statuses.length} requests accepted, ${most.toFixed(1)} allowed`,
  );
});

it("processes what it holds when it stops, hands the rest over, and never shows the password", async () => {
  await sendAll([first, second], ids("stopping", 20));
  const shown = await (await fetch(`${first.url}/v1/config`)).text();
  expect(shown).toContain('"queue.url"');
  expect((await first.stop()).code).toBe(0);
  expect(first.lastLedger()).toMatchObject({ inFlight: 0, dropped: { shutdown: 0 } });
  await nothingQueued();
  expect((await second.stop()).code).toBe(0);
  expect(await redis.command("XINFO", "CONSUMERS", "obspan:q", "workers")).toEqual([""]);
  for (const text of [shown, ...first.stderr, ...second.stderr]) expect(text).not.toContain("SECRET-7");
});
