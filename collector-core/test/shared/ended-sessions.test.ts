import { describe, expect, it } from "vitest";
import { createEndedSessions } from "../../src/ingest/ended-sessions.js";
import { createSharedEndedSessions } from "../../src/shared/shared-ended-sessions.js";
import { startCollector } from "../running-collector.js";
import { redisOfFile, shareThrough, until } from "./redis-of-file.js";

const file = redisOfFile();

async function sessionsOf() {
  const { redis } = await shareThrough(file.server);
  return { redis, sessions: createSharedEndedSessions(redis, createEndedSessions()) };
}

describe("sessions that end at one of several collectors", () => {
  it("contract 3: end at all of them, also at those that start later", async () => {
    const first = await sessionsOf();
    const second = await sessionsOf();
    first.sessions.add("a");
    expect(first.sessions.has("a")).toBe(true);
    await until("the second knows it", () => second.sessions.has("a"));
    expect(second.sessions.has("b")).toBe(false);
    const later = await sessionsOf();
    await until("a later one knows it", () => later.sessions.has("a"));
    expect(Number(await file.server.command("PTTL", "obspan:sessions"))).toBeGreaterThan(0);
  });

  it("end elsewhere when Redis is back, if it was away", async () => {
    const first = await sessionsOf();
    const second = await sessionsOf();
    await file.server.kill();
    try {
      await until("the loss is noticed", () => !first.redis.usage().isAvailable);
      first.sessions.add("while away");
      expect(first.sessions.has("while away")).toBe(true);
      expect(first.redis.usage().alone.sessions).toBe(1);
    } finally {
      await file.server.start();
    }
    await until("the second knows it", () => second.sessions.has("while away"));
  });

  it("are the last 10,000 at most, and none that has expired", async () => {
    const { sessions } = await sessionsOf();
    const [nowSeconds] = await file.server.command("TIME");
    await file.server.command("ZADD", "obspan:sessions", "0", "expired");
    const recent = Array.from({ length: 10_005 }, (_, index) => [
      `${nowSeconds}000`,
      `recent-${index}`,
    ]).flat();
    for (let from = 0; from < recent.length; from += 4000)
      await file.server.command("ZADD", "obspan:sessions", ...recent.slice(from, from + 4000));
    sessions.add("new");
    const scoreOf = async (id: string) => (await file.server.command("ZSCORE", "obspan:sessions", id))[0];
    await until("it is told", async () => (await scoreOf("new")) !== "");
    expect(await file.server.command("ZCARD", "obspan:sessions")).toEqual(["10000"]);
    expect(await scoreOf("expired")).toBe("");
  });

  it("contract 3: a browser that signs out of one collector is signed out of the other", async () => {
    const settings = { QUEUE_URL: file.server.url, AUTH_API_KEYS: "key" };
    const first = await startCollector(settings);
    const second = await startCollector(settings);
    const signIn = await fetch(`${first.url}/v1/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ key: "key" }),
    });
    const headers = { Cookie: signIn.headers.get("Set-Cookie")?.split(";")[0] ?? "" };
    const statusAt = async (url: string) => (await fetch(`${url}/v1/traces`, { headers })).status;
    expect(await statusAt(second.url)).toBe(200);
    expect((await fetch(`${second.url}/v1/session`, { method: "DELETE", headers })).status).toBe(204);
    expect(await statusAt(second.url)).toBe(401);
    await until("the first refuses it", async () => (await statusAt(first.url)) === 401);
  });
});
