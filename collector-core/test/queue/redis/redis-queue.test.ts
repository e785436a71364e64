import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { QueueLimits } from "../../../src/queue/pressure.js";
import { createRedisQueue, type RedisQueueOptions } from "../../../src/queue/redis/redis-queue.js";
import { systemClock } from "../../../src/runtime/clock.js";
import { errorOf, span, startCollector } from "../../running-collector.js";
import { batch, LIMITS, namesOf, numbers, takeNames } from "../contract/batches.js";
import { describeIngestQueue } from "../contract/describe-ingest-queue.js";
import { redisOfEnvironment, startRedisServer, type RedisServer } from "./redis-server.js";

/** These tests stop Redis or change its settings. */
const itWithOwnRedis = it.skipIf(redisOfEnvironment() !== undefined);

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(async () => {
  await redis.stop();
});

async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`Timed out, waiting until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A collector's queue on the Redis of this file. */
async function queueOf(options: Partial<RedisQueueOptions> = {}) {
  const lines: string[] = [];
  const queue = createRedisQueue({
    ...LIMITS,
    url: redis.url,
    replicaId: "a",
    maxBatchBytes: 10_000_000,
    deadLetterTtlSeconds: 60,
    clock: systemClock,
    log: { info: (line) => lines.push(line), warning: (line) => lines.push(line) },
    onLevel: () => undefined,
    saving: undefined,
    ...options,
  });
  onTestFinished(async () => void (await queue.abandon()));
  queue.start?.();
  await until("the queue is available", () => queue.usage().isAvailable);
  const waiting = (spans: number) =>
    until(`${spans} spans can be taken`, () => queue.usage().waiting === spans);
  return { queue, waiting, lines };
}

async function idsOf(replicaId: string): Promise<readonly string[]> {
  const pending = await redis.command("XPENDING", "obspan:q", "workers", "-", "+", "10000", replicaId);
  return pending.filter((line) => /^\d+-\d+$/.test(line));
}

/** Makes the batches that a collector holds look as if it had not been heard of for a time. */
async function idleFor(replicaId: string, ms: string, ...more: readonly string[]): Promise<void> {
  const ids = await idsOf(replicaId);
  const claim = ["XCLAIM", "obspan:q", "workers", replicaId, "0", ...ids, "IDLE", ms, ...more, "JUSTID"];
  expect(await redis.command(...claim)).toEqual(ids);
}

function portOf({ url }: RedisServer): string {
  return new URL(url).port;
}

/** An address that leads to a Redis. */
async function addressOf(leadsTo: () => RedisServer) {
  const servers: Socket[] = [];
  const address = createServer((client) => {
    const server = connect(Number(portOf(leadsTo())), "127.0.0.1");
    servers.push(server);
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on("error", () => undefined);
  });
  await once(address.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void address.close());
  return {
    url: `redis://127.0.0.1:${(address.address() as AddressInfo).port}`,
    holdAnswers: () => servers.forEach((server) => server.unpipe()),
  };
}

async function emptyQueueOf(options: Partial<RedisQueueOptions> = {}) {
  await redis.command("FLUSHALL");
  return await queueOf(options);
}

describeIngestQueue("the queue in Redis", async (limits: QueueLimits) => await emptyQueueOf(limits));

describe("the queue in Redis", () => {
  it("contract 1: admits a batch once, over two collectors", async () => {
    const first = await emptyQueueOf();
    const second = await queueOf({ replicaId: "b" });
    expect(await first.queue.offer(batch(0, 1, 0, "id"))).toMatchObject({ type: "accepted" });
    expect(await second.queue.offer(batch(0, 1, 0, "id"))).toEqual({ type: "repeated" });
    expect(await second.queue.offer(batch(0, 1, 0, "other"))).toMatchObject({ type: "accepted" });
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(2);
  });

  it("contract 1, contract 2: decides about batches that come together one after the other", async () => {
    const { queue, waiting } = await emptyQueueOf();
    // Of a stream that somebody has removed.
    await redis.command("HSET", "obspan:q:n", "spans", "99", "bytes", "99");
    // The first goes at once, the others go together after its answer.
    const admissions = await Promise.all([
      queue.offer(batch(0, 10, 0, "a")),
      queue.offer(batch(10, 10, 0, "b")),
      queue.offer(batch(10, 10, 0, "b")),
      queue.offer(batch(20, 81)),
      queue.offer(batch(20, 75)),
      queue.offer(batch(95, 1)),
    ]);
    const full = { type: "queue_full", usagePct: 95, hardLimitPct: 95 };
    const accepted = { type: "accepted", evicted: 0 };
    const larger = { ...full, usagePct: 20 };
    expect(admissions).toEqual([accepted, accepted, { type: "repeated" }, larger, accepted, full]);
    await waiting(95);
    expect(await takeNames(queue, 100)).toEqual(numbers(0, 95));
  });

  it("contract 2: lets a batch wait for room instead of refusing it at once", async () => {
    // However long the test takes, it is the same moment.
    const { queue, waiting } = await emptyQueueOf({ clock: { monotonic: () => 1000 } });
    await queue.offer(batch(0, 95));
    await waiting(95);
    const lease = queue.take(95);
    let admission: unknown;
    const offered = Promise.resolve(queue.offer(batch(95, 1))).then((answer) => (admission = answer));
    await queue.offer(batch(0, 0));
    expect(admission).toBeUndefined();
    expect(await lease.ack()).toBe(95);
    expect(await offered).toEqual({ type: "accepted", evicted: 0 });
  });

  it("contract 2: refuses a batch at once that does not fit into a queue that is not full", async () => {
    // However long the test takes, it is the same moment: nothing that waits would ever be refused.
    const { queue } = await emptyQueueOf({ clock: { monotonic: () => 1000 } });
    await queue.offer(batch(0, 50));
    expect(await queue.offer(batch(50, 60))).toMatchObject({ type: "queue_full" });
    expect(await queue.offer(batch(110, 1))).toEqual({ type: "accepted", evicted: 0 });
  });

  it("admits many small and large batches together, in their order", async () => {
    const { queue, waiting } = await emptyQueueOf({ capacitySpans: 1000, capacityBytes: 10_000_000 });
    const paddings = numbers(0, 200).map((first) => (first % 50 === 0 ? 700_000 : 0));
    const admissions = await Promise.all(
      paddings.map(async (padding, first) => await queue.offer(batch(first, 1, padding))),
    );
    expect(new Set(admissions.map(({ type }) => type))).toEqual(new Set(["accepted"]));
    await waiting(200);
    const names: number[] = [];
    while (names.length < 200) names.push(...(await takeNames(queue, 200)));
    expect(names).toEqual(numbers(0, 200));
  });

  it("asks together for batches of one turn, and awaits no answer of an earlier question", async () => {
    await redis.command("FLUSHALL");
    const address = await addressOf(() => redis);
    const { queue } = await queueOf(address);
    // Redis has the script then.
    await queue.offer(batch(0, 1));
    address.holdAnswers();
    for (const first of [1, 11]) {
      for (const name of numbers(first, first + 10)) void queue.offer(batch(name, 1));
      await until(
        "they are in Redis",
        async () => Number(await redis.command("XLEN", "obspan:q")) >= first + 10,
      );
    }
  });

  it("gives each batch to one collector, and counts the spans of all", async () => {
    const first = await emptyQueueOf();
    const second = await queueOf({ replicaId: "b" });
    for (let each = 0; each < 40; each++) await first.queue.offer(batch(each, 1));
    await until("all are fetched", () => first.queue.usage().waiting + second.queue.usage().waiting === 40);
    const names = [...(await takeNames(first.queue, 100)), ...(await takeNames(second.queue, 100))];
    expect(names.toSorted((a, b) => a - b)).toEqual(numbers(0, 40));
    expect(await redis.command("HGET", "obspan:q:n", "spans")).toEqual([""]);
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(0);
  });

  it("holds a few large batches at a time, whether it fetches them or takes them over", async () => {
    const large = { capacityBytes: 200_000_000 };
    const first = await emptyQueueOf({ ...large, replicaId: "first" });
    await first.queue.takeNoMore?.();
    for (const number of numbers(0, 24)) await first.queue.offer(batch(number, 1, 4_000_000));
    const next = await queueOf({ ...large, replicaId: "next" });
    await until("it has fetched", async () => (await idsOf("next")).length >= 3);
    await next.queue.takeNoMore?.();
    expect((await idsOf("next")).length).toBe(3);

    const readAll = "return #redis.call('XREADGROUP', 'GROUP', 'workers', 'gone', 'STREAMS', KEYS[1], '>')";
    await redis.command("EVAL", readAll, "1", "obspan:q");
    await idleFor("gone", "31000");
    const last = await queueOf({ ...large, replicaId: "last" });
    await until("it has taken over", async () => (await idsOf("last")).length >= 3);
    await last.queue.abandon();
    expect((await idsOf("last")).length).toBe(3);
  });

  it("does not parse again what it has just admitted, up to 4 MiB of that", async () => {
    // However long the test takes, it is the same moment.
    const clock = { monotonic: () => 1000 };
    const { queue, waiting } = await emptyQueueOf({ capacityBytes: 10_000_000, clock });
    const offered = numbers(0, 5).map((first) => batch(first, 1, 1_000_000));
    for (const each of offered) await queue.offer(each);
    await waiting(5);
    const taken: (readonly unknown[])[] = [];
    while (taken.length < 5) {
      const lease = queue.take(5);
      taken.push(...lease.ranges.map(({ batch: { spans } }) => spans));
      await lease.ack();
    }
    expect(taken.map((spans, index) => spans === offered[index]?.spans)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(taken).toEqual(offered.map(({ spans }) => spans));
  });

  it("keeps the context and the generated ids, with the clock of Redis", async () => {
    const { queue, waiting } = await emptyQueueOf();
    const context = { tenant: "t", service: "shop", env: "prod", version: "1.2", receivedAtMs: 0 };
    const parts = [
      { from: 0, context },
      { from: 1, context: { ...context, service: "pay" } },
    ] as const;
    await queue.offer({ ...batch(0, 2), parts, generatedSpanIds: [undefined, "g1"] });
    await waiting(2);
    const { batch: taken } = queue.take(2).ranges[0] ?? {};
    const [seconds] = await redis.command("TIME");
    const receivedAtMs = taken?.parts[0].context.receivedAtMs ?? 0;
    expect(Math.abs(receivedAtMs / 1000 - Number(seconds))).toBeLessThan(60);
    expect(taken).toMatchObject({
      generatedSpanIds: [undefined, "g1"],
      parts: [
        { from: 0, context: { ...context, receivedAtMs } },
        { from: 1, context: { ...context, service: "pay", receivedAtMs } },
      ],
    });
  });

  it("drop_oldest evicts the oldest batches that nobody has, and never those in flight", async () => {
    const { queue, waiting } = await emptyQueueOf({ mode: "drop_oldest" });
    await queue.offer(batch(0, 10));
    await waiting(10);
    const inFlight = queue.take(10);
    await queue.takeNoMore?.();
    for (let first = 10; first < 95; first += 5) await queue.offer(batch(first, 5));
    expect(await queue.offer(batch(95, 3))).toEqual({ type: "accepted", evicted: 5 });
    expect(await inFlight.ack()).toBe(10);
    const next = await queueOf({ replicaId: "b", mode: "drop_oldest" });
    await next.waiting(83);
    expect(await takeNames(next.queue, 100)).toEqual(numbers(15, 98));
  });

  it("gives the batches of a collector that is gone to another one, and counts them", async () => {
    const gone = await emptyQueueOf({ replicaId: "gone" });
    await gone.queue.offer(batch(0, 3));
    await gone.waiting(3);
    await gone.queue.takeNoMore?.();
    await idleFor("gone", "31000");
    const next = await queueOf();
    await next.waiting(3);
    const lease = next.queue.take(3);
    expect(lease.deliveries).toBe(2);
    expect(await lease.ack()).toBe(3);
    expect(next.queue.usage().shared).toMatchObject({ redeliveredBatches: 1, deadLetters: 0 });
    // The other one was only slow: the batch is no longer its own.
    expect(await gone.queue.take(3).ack()).toBe(0);
  });

  it("contract 2: one that was stopped for a while takes nothing back that others have, and acknowledges none of it", async () => {
    const sender = await emptyQueueOf({ replicaId: "sender" });
    await sender.queue.takeNoMore?.();
    let nowMs = 0;
    const stopped = await queueOf({ replicaId: "stopped", clock: { monotonic: () => nowMs } });
    await sender.queue.offer(batch(0, 3));
    await sender.queue.offer(batch(3, 4));
    await stopped.waiting(7);
    const late = stopped.queue.take(3);
    await stopped.queue.takeNoMore?.();
    await idleFor("stopped", "31000");
    const next = await queueOf({ replicaId: "next" });
    await next.waiting(7);
    const lease = next.queue.take(7);
    const hasLooked = new Promise<void>((resolve) => stopped.queue.onArrival(resolve));
    nowMs = 40_000;
    expect(stopped.queue.take(4).spanCount).toBe(0);
    expect(await late.ack()).toBe(0);
    await hasLooked;
    expect(stopped.queue.take(4).spanCount).toBe(0);
    expect(await idsOf("stopped")).toEqual([]);
    expect(await idsOf("next")).toHaveLength(2);
    expect(await lease.ack()).toBe(7);
    expect(await redis.command("HGET", "obspan:q:n", "spans")).toEqual([""]);
  });

  it("contract 2: takes over all that a collector under load had held, more in a second than it gets", async () => {
    const count = 1000;
    const room = { capacitySpans: 2 * count };
    const sender = await emptyQueueOf({ replicaId: "sender", ...room });
    await sender.queue.takeNoMore?.();
    const gone = await queueOf({ replicaId: "gone", ...room, clock: { monotonic: () => 0 } });
    await Promise.all(
      Array.from({ length: count }, async (_, each) => await sender.queue.offer(batch(each, 1))),
    );
    await gone.waiting(count);
    await gone.queue.takeNoMore?.();
    await idleFor("gone", "31000");
    const next = await queueOf(room);
    await next.waiting(count);
    expect(next.queue.usage().shared).toMatchObject({ redeliveredBatches: count });
  });

  it("hands its batches over at once when it is abandoned", async () => {
    const { queue, waiting } = await emptyQueueOf({ replicaId: "b" });
    await queue.offer(batch(0, 3));
    await waiting(3);
    const lease = queue.take(3);
    expect(await queue.abandon()).toBe(0);
    expect(await lease.ack()).toBe(0);
    const next = await queueOf();
    await next.waiting(3);
    expect(await takeNames(next.queue, 3)).toEqual([0, 1, 2]);
  });

  it("does not count an orderly stop as a delivery that failed: six of them put nothing aside", async () => {
    await redis.command("FLUSHALL");
    for (let stop = 0; stop < 6; stop++) {
      const { queue, waiting } = await queueOf({ replicaId: `stopped-${stop}` });
      if (stop === 0) await queue.offer(batch(0, 3));
      await waiting(3);
      await queue.abandon();
    }
    const next = await queueOf();
    await next.waiting(3);
    expect(next.queue.take(3).deliveries).toBe(1);
  });

  it("puts a batch aside that five collectors have not finished, and removes old ones", async () => {
    const gone = await emptyQueueOf({ replicaId: "gone" });
    await redis.command("XADD", "obspan:dead", "1-1", "reason", "deliveries");
    await gone.queue.offer(batch(0, 3));
    await gone.waiting(3);
    await gone.queue.takeNoMore?.();
    await idleFor("gone", "31000", "RETRYCOUNT", "5");
    const next = await queueOf();
    await until("it is put aside", () => next.queue.usage().shared?.deadLetters === 1);
    expect(next.queue.usage()).toMatchObject({ waiting: 0, shared: { deadSpans: 3 } });
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(0);
    const letters = (await redis.command("XRANGE", "obspan:dead", "-", "+")).join(" ");
    expect(letters).toMatch(/reason deliveries deliveries 5 k spans n 3/);
    expect(letters).not.toContain("1-1");
    expect(next.lines.join("\n")).toContain("put aside: five collectors have taken it");
  });

  it("puts entries aside that are no batches, and goes on", async () => {
    const { queue } = await emptyQueueOf();
    const parts = JSON.stringify([
      { from: 0, context: { tenant: "", service: "s", env: "e", receivedAtMs: 0 } },
    ]);
    const hostile = [
      ["x", "y"],
      ["k", "spans", "n", "1e999", "p", parts, "b", "{}"],
      ["k", "spans", "n", "1", "p", '[{"from":7}]', "b", '{"spans":[{"name":"a","trace_id":"t"}]}'],
      ["k", "spans", "n", "2", "p", parts, "b", '{"spans":[{"name":"a","trace_id":"t"}]}'],
      ["k", "spans", "n", "1", "p", parts, "b", '{"spans":[null]}'],
      ["k", "spans", "n", "1", "p", parts, "b", "[".repeat(10_000)],
      ["k", "logs", "n", "1", "p", parts, "b", "{}"],
    ];
    for (const fields of hostile) await redis.command("XADD", "obspan:q", "*", ...fields);
    await queue.offer(batch(0, 1));
    const taken: number[] = [];
    await until("the batch is taken", async () => {
      taken.push(...(await takeNames(queue, 10)));
      return taken.length > 0;
    });
    await until("the others are put aside", () => queue.usage().shared?.deadLetters === hostile.length);
    expect(taken).toEqual([0]);
    expect(queue.usage()).toMatchObject({ spans: 0, inFlight: 0, waiting: 0 });
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(0);
  });

  itWithOwnRedis("goes on while the memory of Redis is full and dead letters are kept", async () => {
    const { queue, waiting, lines } = await emptyQueueOf();
    await redis.command("XADD", "obspan:dead", "*", "reason", "deliveries", "b", "{}");
    await queue.offer(batch(0, 3));
    await waiting(3);
    await redis.command("CONFIG", "SET", "maxmemory", "1");
    onTestFinished(async () => void (await redis.command("CONFIG", "SET", "maxmemory", "0")));
    expect(await queue.offer(batch(3, 1))).toMatchObject({ type: "queue_full" });
    // The size of the queue is read each second.
    await redis.command("CONFIG", "RESETSTAT");
    const looks = async () =>
      Number(/cmdstat_hmget:calls=(\d+)/.exec((await redis.command("INFO", "commandstats")).join())?.[1]);
    await until("Redis was asked again", async () => (await looks()) >= 2);
    expect(queue.usage().isAvailable).toBe(true);
    expect(lines.join("\n")).not.toContain("does not answer");
    expect(await takeNames(queue, 3)).toEqual([0, 1, 2]);
  });

  it("acknowledges only what is saved", async () => {
    let save = (): void => undefined;
    const saved = new Promise<void>((resolve) => (save = resolve));
    const { queue, waiting } = await emptyQueueOf({
      saving: { save: () => saved, everyMs: 0, isShared: false },
    });
    await queue.offer(batch(0, 3));
    await waiting(3);
    const acknowledged = queue.take(3).ack();
    await queue.offer(batch(3, 1));
    await waiting(1);
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(2);
    save();
    expect(await acknowledged).toBe(3);
  });

  it("leaves to another collector what a shared store has not saved, and acknowledges what its own has counted", async () => {
    for (const isShared of [true, false]) {
      let saves = 0;
      const save = async (): Promise<void> => {
        saves++;
        throw new Error("not saved");
      };
      const { queue, waiting } = await emptyQueueOf({ saving: { save, everyMs: 0, isShared } });
      await queue.offer(batch(0, 3));
      await waiting(3);
      const acknowledged = queue.take(3).ack();
      if (isShared) await until("it was tried again", () => saves > 1);
      else expect(await acknowledged).toBe(3);
      await queue.abandon();
      expect(await acknowledged).toBe(isShared ? 0 : 3);
      expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(isShared ? 1 : 0);
    }
  });
});

describe("while Redis does not answer", () => {
  it("starts a collector that is not ready, and warns of plain text to another machine", async () => {
    const { url, post, lines } = await startCollector({ QUEUE_URL: "redis://user:SECRET-8@192.0.2.1:1/0" });
    const ready = await fetch(`${url}/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ reasons: ["queue_unavailable"] });
    const refused = await errorOf(await post({ spans: [span()] }));
    expect(refused).toMatchObject({ status: 503, code: "queue_unavailable" });
    const messages = lines.map(({ message }) => message).join("\n");
    expect(messages).toContain("Spans go to Redis at 192.0.2.1 in plain text, before redaction");
    expect(messages).not.toContain("SECRET-8");
  });

  itWithOwnRedis(
    "refuses batches without waiting, and goes on when it is back with what it has kept",
    async () => {
      const { queue, waiting, lines } = await emptyQueueOf();
      await queue.offer(batch(0, 3));
      await waiting(3);
      const lease = queue.take(3);
      await redis.kill();
      await until("the loss is noticed", () => !queue.usage().isAvailable);
      expect(queue.offer(batch(3, 1))).toEqual({ type: "unavailable" });
      const acknowledged = lease.ack();
      await redis.start();
      await until("it is available", () => queue.usage().isAvailable);
      expect(await acknowledged).toBe(3);
      expect(await queue.offer(batch(3, 1))).toMatchObject({ type: "accepted" });
      await waiting(1);
      expect(lines.join("\n")).toMatch(/Redis does not answer \(.*\)\. Batches are refused with 503/);
    },
  );

  itWithOwnRedis("goes on at the new Redis after a failover, to which the address leads", async () => {
    await redis.command("FLUSHALL");
    const other = await startRedisServer("--databases", "1");
    onTestFinished(() => other.stop());
    let primary = redis;
    const { queue, waiting } = await queueOf(await addressOf(() => primary));
    await queue.offer(batch(0, 3));
    await waiting(3);
    const lease = queue.take(3);
    await other.command("REPLICAOF", "127.0.0.1", portOf(redis));
    await until("it has the data", async () => (await other.command("XLEN", "obspan:q"))[0] === "1");

    // The old one lives on as a replica, and no connection to it ends.
    await other.command("REPLICAOF", "NO", "ONE");
    primary = other;
    await redis.command("REPLICAOF", "127.0.0.1", portOf(other));
    onTestFinished(async () => void (await redis.command("REPLICAOF", "NO", "ONE")));
    await until("that is noticed", () => !queue.usage().isAvailable);
    await until("the new one is used", () => queue.usage().isAvailable);
    expect(await lease.ack()).toBe(3);
    expect(await queue.offer(batch(3, 1))).toMatchObject({ type: "accepted" });
    await waiting(1);
  });

  itWithOwnRedis(
    "counts a body as memory of requests until Redis has answered, compressed or not",
    async () => {
      const { url, metric } = await startCollector({ QUEUE_URL: redis.url });
      const body = JSON.stringify({ spans: [span({ attributes: { prompt_text: "x".repeat(200_000) } })] });
      const post = (bytes: Uint8Array, headers: Record<string, string> = {}) =>
        fetch(`${url}/v1/telemetry`, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...headers },
          body: bytes,
        });
      const charged = () => metric('obs_in_flight_bytes{kind="request_bodies"}');
      await until("both are counted", async () => {
        await until("it is ready", async () => (await fetch(`${url}/ready`)).status === 200);
        redis.signal("SIGSTOP");
        let answered = 0;
        const answers = Promise.all([
          post(Buffer.from(body)),
          post(gzipSync(body), { "Content-Encoding": "gzip" }),
        ]).finally(() => (answered = 2));
        let most = 0;
        while (answered === 0) most = Math.max(most, await charged());
        redis.signal("SIGCONT");
        expect((await answers).map(({ status }) => status)).toEqual([503, 503]);
        expect(await charged()).toBe(0);
        return most > 400_000;
      });
    },
  );

  itWithOwnRedis("does not admit later what it has refused", async () => {
    const { queue } = await emptyQueueOf();
    await queue.takeNoMore?.();
    redis.signal("SIGSTOP");
    const admissions = ["late", "later"].map((id) => queue.offer(batch(0, 1, 0, id)));
    for (const admission of admissions) expect(await admission).toEqual({ type: "unavailable" });
    redis.signal("SIGCONT");
    await until("it is available", () => queue.usage().isAvailable);
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(0);
    expect(await queue.offer(batch(0, 1, 0, "late"))).toMatchObject({ type: "accepted" });
  });

  itWithOwnRedis(
    "answers that it is full if Redis has no memory left, and makes room by acknowledging",
    async () => {
      const { queue, waiting } = await emptyQueueOf();
      await queue.offer(batch(0, 3));
      await waiting(3);
      const lease = queue.take(3);
      onTestFinished(async () => void (await redis.command("CONFIG", "SET", "maxmemory", "0")));
      await redis.command("CONFIG", "SET", "maxmemory", "1");
      expect(await queue.offer(batch(3, 1))).toMatchObject({ type: "queue_full" });
      expect(await lease.ack()).toBe(3);
      expect(namesOf(lease)).toEqual([0, 1, 2]);
      await redis.command("CONFIG", "SET", "maxmemory", "0");
      expect(await queue.offer(batch(3, 1))).toMatchObject({ type: "accepted" });
    },
  );
});
