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
  /** Sends wrong keys until the address is throttled. */
  async function useUp(more: Record<string, string> = {}): Promise<void> {
    for (let count = 0; count < BURST; count++) expect((await guess(more)).status).toBe(401);
  }
  return { ...running, clock, ask, guess, signIn, useUp };
}

describe("auth.api_keys: wrong keys from one address are throttled", () => {
  it("answers 429 with Retry-After after ten wrong keys and allows one more every six seconds", async () => {
    const { guess, useUp, clock } = await throttledCollector();
    await useUp();
    const refused = await guess();
    expect(refused.headers.get("Retry-After")).toBe("6");
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
    clock.advance(6000);
    expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(429);
  });

  it("gives the same response to a right and a wrong key while throttled", async () => {
    const { ask, useUp, clock } = await throttledCollector();
    await useUp();
    expect((await ask("key-one")).status).toBe(429);
    clock.advance(6000);
    expect((await ask("key-one")).status).toBe(200);
  });

  it("accepts a key that has succeeded from the address while it is throttled", async () => {
    const { ask, guess, useUp, post } = await throttledCollector();
    expect((await ask("key-one")).status).toBe(200);
    await useUp();
    expect((await guess()).status).toBe(429);
    expect((await ask("key-one")).status).toBe(200);
    expect((await post({ spans: [span()] }, { "X-API-Key": "key-one" })).status).toBe(202);
    expect((await ask("key-two")).status).toBe(429);
  });

  it("accepts a session while throttled", async () => {
    const { url, guess, signIn, useUp } = await throttledCollector();
    const Cookie = (await signIn("key-two")).headers.get("Set-Cookie")?.split(";")[0] ?? "";
    await useUp();
    expect((await guess()).status).toBe(429);
    expect((await fetch(`${url}/v1/traces`, { headers: { Cookie } })).status).toBe(200);
  });

  it("counts a repeated wrong key once", async () => {
    const { ask } = await throttledCollector();
    for (let count = 0; count < 5 * BURST; count++) expect((await ask("the-old-key")).status).toBe(401);
    expect((await ask("key-one")).status).toBe(200);
  });

  it("counts wrong keys of POST /v1/session and of ingest routes, and no missing keys", async () => {
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

  it("distinguishes addresses behind server.trusted_proxies", async () => {
    const { guess, useUp, ask } = await throttledCollector({ TRUSTED_PROXIES: "127.0.0.1" });
    const from = (address: string) => ({ "X-Forwarded-For": address });
    await useUp(from("192.0.2.1"));
    expect((await guess(from("192.0.2.1"))).status).toBe(429);
    expect((await guess(from("192.0.2.2"))).status).toBe(401);
    expect((await ask("key-one", from("192.0.2.2"))).status).toBe(200);
    // A client may use every address of its IPv6 /64.
    await useUp(from("2001:db8::1"));
    expect((await guess(from("2001:db8::2"))).status).toBe(429);
  });

  it("ignores X-Forwarded-For of other peers", async () => {
    const { guess, useUp } = await throttledCollector();
    await useUp({ "X-Forwarded-For": "192.0.2.1" });
    expect((await guess({ "X-Forwarded-For": "192.0.2.2" })).status).toBe(429);
  });

  it("records wrong keys in the events, without the key", async () => {
    const { guess, useUp, url, ask } = await throttledCollector();
    await ask("key-one");
    await useUp();
    await guess();
    const events = await (await fetch(`${url}/v1/events`, { headers: { "X-API-Key": "key-one" } })).text();
    expect(events).toContain("rate_limited");
    expect(events).not.toContain("guess-");
  });

  it("recognizes a right key from an address that is truncated", () => {
    const failed = createFailedKeys(new FakeClock());
    const address = "long".repeat(50);
    failed.recordSuccess(address, 1);
    expect(failed.hasSucceeded(address, 1)).toBe(true);
    failed.recordSuccess(address, 2);
    expect(failed.hasSucceeded(address, 1)).toBe(true);
  });

  it("keeps at most 30,000 addresses and keys", () => {
    const clock = new FakeClock();
    const failed = createFailedKeys(clock);
    for (let number = 0; number < 20_000; number++) {
      const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
      failed.recordFailure(address, `digest-${number}`);
      failed.recordSuccess(address, 0);
    }
    expect(failed.size).toBeLessThanOrEqual(30_000);
  });
});
