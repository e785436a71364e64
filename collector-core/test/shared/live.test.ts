import { describe, expect, it, onTestFinished } from "vitest";
import type { LiveChange, TraceKey } from "../../src/interfaces.js";
import { systemClock } from "../../src/runtime/clock.js";
import { createSharedLive } from "../../src/shared/shared-live.js";
import { redisOfFile, shareThrough, until } from "./redis-of-file.js";

const file = redisOfFile();

/** The bus of a collector, with what it has heard. Resolves when it hears others. */
async function busOf() {
  const { redis } = await shareThrough(file.server);
  const heard: LiveChange[] = [];
  const { url } = file.server;
  const bus = createSharedLive({ redis, url, clock: systemClock, log: { warning: () => undefined } });
  onTestFinished(() => bus.stop());
  bus.subscribe((change) => heard.push(change));
  void bus.start();
  await until("it listens", async () => {
    await file.server.command("PUBLISH", "obspan:live", '{"from":"test","all":"cleared"}');
    return heard.length > 0;
  });
  const allHeard = (...changes: readonly LiveChange[]) =>
    until("it has heard them", () => {
      const texts = heard.map((each) => JSON.stringify(each));
      return changes.every((change) => texts.includes(JSON.stringify(change)));
    });
  return { redis, bus, heard, allHeard };
}

function keys(count: number, prefix: string): TraceKey[] {
  return Array.from({ length: count }, (_, index) => ({ tenant: "t", traceId: `${prefix}-${index}` }));
}

describe("live changes of a store that collectors share", () => {
  it("contract 3: traces that one has changed are told to the others, and not to itself", async () => {
    const first = await busOf();
    const second = await busOf();
    first.bus.publish(keys(2, "a"));
    second.bus.publish(keys(1, "b"));
    await second.allHeard(keys(2, "a"));
    await first.allHeard(keys(1, "b"));
    first.bus.publish("cleared");
    second.bus.publish([]);
    expect(JSON.stringify(first.heard)).not.toContain("a-0");
  });

  it("more than 250 traces in a second are a burst", async () => {
    const first = await busOf();
    const second = await busOf();
    first.bus.publish(keys(251, "many"));
    await second.allHeard("burst");
    expect(JSON.stringify(second.heard)).not.toContain("many");
    for (let each = 0; each < 260; each++) first.bus.publish(keys(1, `one-${each}`));
    // All in one turn, which may still be in two of its seconds.
    const bursts = () => second.heard.filter((each) => each === "burst").length;
    const told = () => second.heard.filter((each) => Array.isArray(each)).length;
    await until("it is a burst", () => bursts() === 2 || told() === 260);
    expect(told()).toBeGreaterThan(0);
  });

  it("tells what was missed when Redis is back: everything may have changed", async () => {
    const first = await busOf();
    const second = await busOf();
    await file.server.kill();
    try {
      await until("the loss is noticed", () => !first.redis.usage().isAvailable);
      first.bus.publish(keys(1, "away"));
      expect(first.redis.usage().alone.live).toBeGreaterThan(0);
    } finally {
      await file.server.start();
    }
    await second.allHeard("burst");
    await first.allHeard("burst");
  });

  it("ignores what is no message, and takes too many keys for a burst", async () => {
    const { heard, allHeard } = await busOf();
    const hostile = [
      "x",
      "null",
      "[]",
      '{"keys":7}',
      '{"keys":[7]}',
      '{"keys":[["t"]]}',
      '{"all":"other"}',
      "{}",
    ];
    heard.length = 0;
    for (const text of hostile) await file.server.command("PUBLISH", "obspan:live", text);
    const many = keys(251, "hostile").map(({ tenant, traceId }) => [tenant, traceId]);
    await file.server.command("PUBLISH", "obspan:live", JSON.stringify({ keys: many }));
    await file.server.command("PUBLISH", "obspan:live", JSON.stringify({ keys: [["t", "last"]] }));
    await allHeard([{ tenant: "t", traceId: "last" }]);
    expect(heard).toEqual(["burst", [{ tenant: "t", traceId: "last" }]]);
  });
});
