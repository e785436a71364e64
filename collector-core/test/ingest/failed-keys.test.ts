import { describe, expect, it } from "vitest";
import { createFailedKeys } from "../../src/ingest/failed-keys.js";
import { errorOf, span, startCollector } from "../running-collector.js";
import { FakeClock } from "../store/span-batches.js";

const KEYS = { AUTH_API_KEYS: "key-one,key-two" };
const BURST = 10;

async function throttledCollector(settings: Record<string, string> = {}) {
  const clock = new FakeClock();
  const running = await startCollector({ ...KEYS, ...settings }, { clock });
  let guesses = 0;
  const { url } = running;
  const ask = (key: string, more: Record<string, string> = {}) =>
    fetch(`${url}/v1/traces`, { headers: { "X-API-Key": key, ...more } });
  const guess = (more: Record<string, string> = {}) => ask(`guess-${guesses++}`, more);
  const signIn = (key: string) =>
    fetch(`${url}/v1/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ key }),
    });
  /** Guesses until the address is throttled. */
  async function useUp(more: Record<string, string> = {}): Promise<void> {
    for (let count = 0; count < BURST; count++) expect((await guess(more)).status).toBe(401);
  }
  return { ...running, clock, ask, guess, signIn, useUp };
}

describe("auth.api_keys: wrong keys from one address are throttled", () => {
  it("answers 429 with Retry-After after ten of them, and one more each six seconds", async () => {
    const { guess, useUp, clock } = await throttledCollector();
    await useUp();
    const refused = await guess();
    expect(refused.headers.get("Retry-After")).toBe("6");
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
    clock.advance(6000);
    expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(429);
  });

  it("does not tell a right guess from a wrong one then", async () => {
    const { ask, useUp, clock } = await throttledCollector();
    await useUp();
    expect((await ask("key-one")).status).toBe(429);
    clock.advance(6000);
    expect((await ask("key-one")).status).toBe(200);
  });

  it("lets a key pass that has been right from this address: a stranger behind it locks nobody out", async () => {
    const { ask, guess, useUp, post } = await throttledCollector();
    expect((await ask("key-one")).status).toBe(200);
    await useUp();
    expect((await guess()).status).toBe(429);
    expect((await ask("key-one")).status).toBe(200);
    expect((await post({ spans: [span()] }, { "X-API-Key": "key-one" })).status).toBe(202);
    expect((await ask("key-two")).status).toBe(429);
  });

  it("lets a session pass, which cannot be guessed", async () => {
    const { url, guess, signIn, useUp } = await throttledCollector();
    const Cookie = (await signIn("key-two")).headers.get("Set-Cookie")?.split(";")[0] ?? "";
    await useUp();
    expect((await guess()).status).toBe(429);
    expect((await fetch(`${url}/v1/traces`, { headers: { Cookie } })).status).toBe(200);
  });

  it("counts a wrong key once, however often an app that was not told sends it", async () => {
    const { ask } = await throttledCollector();
    for (let count = 0; count < 5 * BURST; count++) expect((await ask("the-old-key")).status).toBe(401);
    expect((await ask("key-one")).status).toBe(200);
  });

  it("counts those of POST /v1/session and of the routes that take spans too, and not a missing key", async () => {
    const { url, signIn, post, guess } = await throttledCollector();
    for (let count = 0; count < BURST / 2; count++) {
      expect((await signIn(`typed-${count}`)).status).toBe(401);
      expect((await post({}, { Authorization: `Bearer sent-${count}` })).status).toBe(401);
      expect((await fetch(`${url}/v1/traces`)).status).toBe(401);
    }
    expect((await guess()).status).toBe(429);
    expect(await errorOf(await signIn("key-one"))).toMatchObject({ status: 429, code: "rate_limited" });
    expect((await fetch(`${url}/v1/traces`)).status).toBe(401);
  });

  it("tells addresses apart as server.trusted_proxies says", async () => {
    const { guess, useUp, ask } = await throttledCollector({ TRUSTED_PROXIES: "127.0.0.1" });
    const from = (address: string) => ({ "X-Forwarded-For": address });
    await useUp(from("192.0.2.1"));
    expect((await guess(from("192.0.2.1"))).status).toBe(429);
    expect((await guess(from("192.0.2.2"))).status).toBe(401);
    expect((await ask("key-one", from("192.0.2.2"))).status).toBe(200);
    // Of IPv6 one sender has a whole /64.
    await useUp(from("2001:db8::1"));
    expect((await guess(from("2001:db8::2"))).status).toBe(429);
  });

  it("believes X-Forwarded-For of nobody else", async () => {
    const { guess, useUp } = await throttledCollector();
    await useUp({ "X-Forwarded-For": "192.0.2.1" });
    expect((await guess({ "X-Forwarded-For": "192.0.2.2" })).status).toBe(429);
  });

  it("is told in the events, without the key", async () => {
    const { guess, useUp, url, ask } = await throttledCollector();
    await ask("key-one");
    await useUp();
    await guess();
    const events = await (await fetch(`${url}/v1/events`, { headers: { "X-API-Key": "key-one" } })).text();
    expect(events).toContain("rate_limited");
    expect(events).not.toContain("guess-");
  });

  it("knows a right key again from an address that is cut, as a proxy may pass on any text", () => {
    const failed = createFailedKeys(new FakeClock());
    const address = "long".repeat(50);
    failed.recordSuccess(address, 1);
    expect(failed.hasSucceeded(address, 1)).toBe(true);
    failed.recordSuccess(address, 2);
    expect(failed.hasSucceeded(address, 1)).toBe(true);
  });

  it("holds a bounded number of addresses and keys, however many there are", () => {
    const clock = new FakeClock();
    const failed = createFailedKeys(clock);
    for (let number = 0; number < 100_000; number++) {
      const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
      failed.recordFailure(address, `digest-${number}`);
      failed.recordSuccess(address, 0);
    }
    expect(failed.size).toBeLessThanOrEqual(30_000);
  });
});
