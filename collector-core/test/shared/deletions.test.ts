import { describe, expect, it } from "vitest";
import type { DeletedTraces } from "../../src/interfaces.js";
import { createSharedDeletions } from "../../src/shared/shared-deletions.js";
import { redisOfFile, shareThrough, until } from "./redis-of-file.js";

const file = redisOfFile();

/** The deletions of a collector, with those that it has heard of. Resolves when it has asked for the first time. */
async function deletionsOf() {
  const { redis } = await shareThrough(file.server);
  const heard: DeletedTraces[] = [];
  const told: unknown[] = [];
  let asked = 0;
  const deletions = createSharedDeletions({
    redis: {
      ...redis,
      ask: async (question) => {
        const reply = await redis.ask(question);
        if (reply !== undefined) asked++;
        return reply;
      },
    },
    live: { publish: (change) => void told.push(change) },
  });
  deletions.subscribe(({ tenant, traceId }) => heard.push({ tenant, traceId }));
  await until("it has asked", () => asked > 0);
  const hears = async (...expected: readonly DeletedTraces[]): Promise<void> => {
    await until("it has heard of them", () => {
      deletions.look();
      return heard.length >= expected.length;
    });
    expect(heard).toEqual(expected);
  };
  return { redis, deletions, heard, told, hears };
}

describe("deletions of a store that collectors share", () => {
  it("contract 3: one trace, those of a tenant and all are told to the others once, in their order", async () => {
    const [first, second] = [await deletionsOf(), await deletionsOf()];
    const some = [{ tenant: "t", traceId: "a" }, { tenant: "t" }, {}];
    for (const each of some) first.deletions.add(each);
    await second.hears(...some);
    expect(first.told).toContain("cleared");
    second.deletions.add({ tenant: "", traceId: "b" });
    await first.hears({ tenant: "", traceId: "b" });
    // One that starts later reads the store, which has them no more.
    expect((await deletionsOf()).heard).toEqual([]);
    expect(Number(await file.server.command("PTTL", "obspan:deleted"))).toBeGreaterThan(0);
  });

  it("are told when Redis is back, also to a collector that was cut off", async () => {
    const [first, second] = [await deletionsOf(), await deletionsOf()];
    await file.server.kill();
    try {
      await until("the loss is noticed", () => !first.redis.usage().isAvailable);
      for (let each = 0; each < 1010; each++) first.deletions.add({ tenant: "t", traceId: String(each) });
    } finally {
      await file.server.start();
    }
    // The oldest are given up.
    await second.hears(
      ...Array.from({ length: 1000 }, (_, index) => ({ tenant: "t", traceId: String(index + 10) })),
    );
  });

  it("ignores what is no deletion", async () => {
    const { hears } = await deletionsOf();
    const hostile = [
      "x",
      "null",
      "[]",
      "{}",
      '{"from":7}',
      '{"from":"x","tenant":7}',
      `"${"x".repeat(20_000)}"`,
    ];
    for (const text of hostile) await file.server.command("XADD", "obspan:deleted", "*", "d", text);
    await file.server.command("XADD", "obspan:deleted", "*", "d", '{"from":"x","tenant":"last"}');
    await hears({ tenant: "last" });
  });
});
