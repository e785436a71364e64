import { describe, expect, it } from "vitest";
import type { ArrivedTrace, DeletedTraces } from "../../src/interfaces.js";
import { createSharedDeletions } from "../../src/shared/shared-deletions.js";
import { redisOfFile, shareThrough, until } from "./redis-of-file.js";

const file = redisOfFile();

/** The time of Redis in milliseconds. */
async function nowOfRedis(): Promise<number> {
  const [seconds = 0, micros = 0] = (await file.server.command("TIME")).map(Number);
  return seconds * 1000 + Math.floor(micros / 1000);
}

/** The time of Redis, once its next millisecond has begun. */
async function endOfMillisecond(): Promise<number> {
  const nowMs = await nowOfRedis();
  await until("another millisecond has begun", async () => (await nowOfRedis()) > nowMs);
  return nowMs;
}

/** The deletions of a collector, with how often it has heard of those of others. It knows what the others know. */
async function deletionsOf(clock = { monotonic: () => 0 }) {
  const { redis } = await shareThrough(file.server);
  const deletions = createSharedDeletions({ redis, clock });
  const heard: ((trace: ArrivedTrace) => boolean)[] = [];
  deletions.subscribe((isDeleted) => heard.push(isDeleted));
  await deletions.look();
  return { redis, deletions, heard };
}

const namesOf = (count: number): DeletedTraces[] =>
  Array.from({ length: count }, (_, index) => ({ tenant: "t", traceId: String(index) }));

describe("deletions of a store that collectors share", () => {
  it("contract 3: one trace, those of a tenant and all are told to the others, also to one that starts later", async () => {
    const [first, second] = [await deletionsOf(), await deletionsOf()];
    const startMs = await nowOfRedis();
    await first.deletions.add([{ tenant: "t", traceId: "a" }]);
    await second.deletions.look();
    const third = await deletionsOf();
    for (const { deletions } of [first, second, third]) {
      expect(deletions.lastOf({ tenant: "t", traceId: "a" })).toBeGreaterThanOrEqual(startMs);
      for (const other of [
        { tenant: "", traceId: "a" },
        { tenant: "t", traceId: "b" },
      ])
        expect(deletions.lastOf(other)).toBe(-Infinity);
    }
    expect([first, second, third].map(({ heard }) => heard.length)).toEqual([0, 1, 1]);
    await second.deletions.add([{ tenant: "u" }]);
    await first.deletions.look();
    expect(first.deletions.lastOf({ tenant: "u", traceId: "any" })).toBeGreaterThanOrEqual(startMs);
    expect(first.deletions.lastOf({ tenant: "t", traceId: "b" })).toBe(-Infinity);
    await second.deletions.add([{}]);
    await first.deletions.look();
    expect(first.deletions.lastOf({ tenant: "t", traceId: "b" })).toBeGreaterThanOrEqual(startMs);
    expect(Number(await file.server.command("PTTL", "obspan:deleted"))).toBeGreaterThan(0);
  });

  it.each<readonly [string, DeletedTraces]>([
    ["all", {}],
    ["a tenant", { tenant: "late" }],
    ["one trace", { tenant: "late", traceId: "a" }],
  ])(
    "contract 3: a deletion of %s that is heard of late is of what came before it only",
    async (_, deleted) => {
      const [first, second] = [await deletionsOf(), await deletionsOf()];
      const heardBefore = second.heard.length;
      const key = { tenant: "late", traceId: "a" };
      const beforeMs = await endOfMillisecond();
      await first.deletions.add([deleted]);
      await endOfMillisecond();
      const afterMs = await nowOfRedis();
      await second.deletions.look();
      const isDeleted = second.heard.at(-1);
      expect(second.heard).toHaveLength(heardBefore + 1);
      expect(isDeleted?.({ ...key, receivedAtMs: beforeMs })).toBe(true);
      expect(isDeleted?.({ ...key, receivedAtMs: afterMs })).toBe(false);
    },
  );

  it("are told when Redis is back, with the time at which they were made, also to a collector that was cut off", async () => {
    let nowMs = 0;
    await file.server.command("DEL", "obspan:deleted");
    const [first, second] = [await deletionsOf({ monotonic: () => nowMs }), await deletionsOf()];
    await file.server.kill();
    try {
      await until("the loss is noticed", () => !first.redis.usage().isAvailable);
      await first.deletions.add(namesOf(1010));
      nowMs += 60_000;
    } finally {
      await file.server.start();
    }
    const isKnown = (index: number): boolean =>
      second.deletions.lastOf({ tenant: "t", traceId: String(index) }) > -Infinity;
    await until("all are told", async () => {
      await second.deletions.look();
      return isKnown(1009);
    });
    // The oldest are given up.
    expect([9, 10].map(isKnown)).toEqual([false, true]);
    const agoMs = (await nowOfRedis()) - second.deletions.lastOf({ tenant: "t", traceId: "1009" });
    expect(agoMs).toBeGreaterThanOrEqual(60_000);
  });

  it("ignores what is no deletion", async () => {
    const { deletions } = await deletionsOf();
    const hostile = [
      ...["x", "null", "[]", '{"from":7}', '{"from":"x","tenant":7}', `"${"x".repeat(20_000)}"`],
      ...['{"from":"x","agoMs":"1"}', '{"from":"x","agoMs":-1}', '{"from":"x","agoMs":1e999}'],
    ];
    await deletions.look();
    const before = deletions.lastOf({ tenant: "", traceId: "a" });
    for (const text of hostile) await file.server.command("XADD", "obspan:deleted", "*", "d", text);
    await file.server.command("XADD", "obspan:deleted", "*", "d", '{"from":"x","tenant":"last"}');
    await deletions.look();
    expect(deletions.lastOf({ tenant: "last", traceId: "a" })).toBeGreaterThan(-Infinity);
    expect(deletions.lastOf({ tenant: "", traceId: "a" })).toBe(before);
  });
});
