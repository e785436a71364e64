import { describe, expect, it } from "vitest";
import { createClaimEnds } from "../../src/evaluation/claim-ends.js";
import { createSharedClaims } from "../../src/shared/shared-claims.js";
import { judgedSpan, startJudgedCollector } from "../evaluation/judged-collector.js";
import { redisOfFile, shareThrough, until } from "./redis-of-file.js";

const file = redisOfFile();
const never = new AbortController().signal;

async function claimsOf() {
  const { redis } = await shareThrough(file.server);
  return { redis, claims: createSharedClaims(redis) };
}

describe("claims on evaluations", () => {
  it("contract 8: work that is done is not done again, and one that was given up is", async () => {
    const { claims: first } = await claimsOf();
    const { claims: second } = await claimsOf();
    expect(await first.claim(["a"], 60_000, never)).toBe(true);
    let answer: boolean | undefined;
    const waiting = second.claim(["a"], 60_000, never).then((isOurs) => (answer = isOurs));
    expect(await second.claim(["b"], 60_000, never)).toBe(true);
    expect(answer).toBeUndefined();
    await first.end(["a"], true);
    expect(await waiting).toBe(false);
    expect(await first.claim(["a"], 60_000, never)).toBe(false);
    await second.end(["b"], false);
    expect(await first.claim(["b"], 60_000, never)).toBe(true);
  });

  it("are taken over when the collector that has them is gone, and the wait can be ended", async () => {
    const { claims: gone } = await claimsOf();
    const { claims } = await claimsOf();
    await gone.claim(["c"], 50, never);
    expect(await claims.claim(["c"], 60_000, never)).toBe(true);
    await gone.claim(["d"], 60_000, never);
    const stopped = new AbortController();
    const waiting = claims.claim(["d"], 60_000, stopped.signal);
    stopped.abort();
    await expect(waiting).rejects.toThrow();
  });

  it("keep no id of a sender in Redis, and expire", async () => {
    await file.server.command("FLUSHALL");
    const { claims } = await claimsOf();
    await claims.claim(["", "SECRET-5"], 60_000, never);
    const [key = ""] = await file.server.command("KEYS", "obspan:e:*");
    expect(key).toMatch(/^obspan:e:[\w-]{27}$/);
    expect(Number(await file.server.command("PTTL", key))).toBeGreaterThan(0);
    await claims.end(["", "SECRET-5"], true);
    expect(Number(await file.server.command("PTTL", key))).toBeGreaterThan(0);
  });

  it("end when the result is saved: until then, another collector can make the evaluation of one that is gone", async () => {
    for (const [name, isSaved] of [
      ["saved", true],
      ["unsaved", false],
    ] as const) {
      const { claims: first } = await claimsOf();
      const { claims: second } = await claimsOf();
      let [saves, settle] = [0, (): void => undefined];
      const save = (): Promise<void> =>
        new Promise((resolve, reject) => {
          saves++;
          settle = () => (isSaved ? resolve() : reject(new Error("not saved")));
        });
      const ends = createClaimEnds({ claims: first, save, everyMs: 1 });
      await first.claim([name], 60_000, never);
      ends.add([name]);
      await until("the store is asked", () => saves === 1);
      const stopped = new AbortController();
      const early = second.claim([name], 60_000, stopped.signal);
      stopped.abort();
      await expect(early).rejects.toThrow();
      settle();
      await ends.stop();
      expect(await second.claim([name], 60_000, never)).toBe(!isSaved);
    }
  });

  it("are not needed while Redis is away: an evaluation may then be made twice", async () => {
    const { redis, claims } = await claimsOf();
    const { claims: other } = await claimsOf();
    await other.claim(["e"], 60_000, never);
    await file.server.kill();
    try {
      await until("the loss is noticed", () => !redis.usage().isAvailable);
      expect(await claims.claim(["e"], 60_000, never)).toBe(true);
      await claims.end(["e"], true);
      expect(redis.usage().alone.evaluations).toBe(2);
    } finally {
      await file.server.start();
    }
  });
});

describe("collectors with one queue.url", () => {
  it("spec 4.9 rule 5: evaluate a span once that both are given, and again when a user asks", async () => {
    const settings = { QUEUE_URL: file.server.url };
    const first = await startJudgedCollector(settings);
    const second = await startJudgedCollector(settings);
    const both = [first, second];
    for (const { url } of both)
      await until("it is ready", async () => (await fetch(`${url}/ready`)).status === 200);
    const ended = () =>
      both.reduce((all, { collector }) => all + (collector.ledger().evaluated?.completed ?? 0), 0);
    const repeated = async () =>
      (await first.metric("obs_evaluations_repeated_total")) +
      (await second.metric("obs_evaluations_repeated_total"));
    const calls = () => first.judge.calls.length + second.judge.calls.length;
    let tries = 0;
    // While this machine is busy, Redis may answer too late: the next trace is tried.
    await until("a span is evaluated once", async () => {
      const spans = [judgedSpan(["relevance"], { trace_id: `twice-${tries++}` })];
      const [callsBefore, handledBefore] = [calls(), ended() + (await repeated())];
      for (const { post } of both) expect((await post({ spans })).status).toBe(202);
      await until("both are handled", async () => ended() + (await repeated()) === handledBefore + 2);
      return calls() === callsBefore + 1;
    });
    for (const { collector } of both) {
      const { offered = 0, completed, pending } = collector.ledger().evaluated ?? {};
      expect({ completed, pending }).toEqual({ completed: offered, pending: 0 });
    }

    const before = calls();
    const request = { types: ["relevance"], trace_ids: [`twice-${tries - 1}`] };
    for (const { url } of both)
      await fetch(`${url}/v1/evaluations`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(request),
      });
    await until("it is evaluated again", () => calls() > before);
  });
});
