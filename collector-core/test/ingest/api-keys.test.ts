import { once } from "node:events";
import { IncomingMessage, type IncomingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../store/span-batches.js";
import { createApiKeys } from "../../src/ingest/api-keys.js";
import { createEndedSessions } from "../../src/ingest/ended-sessions.js";
import { listen } from "../query/live-reader.js";
import { errorOf, span, startCollector } from "../running-collector.js";

const KEYS = { AUTH_API_KEYS: "key-one,key-two" };

describe("spec 5, contract 5 auth.api_keys", () => {
  it.each([
    ["X-API-Key", { "X-API-Key": "key-one" }],
    ["X-API-Key, the second key", { "X-API-Key": "key-two" }],
    ["a bearer token", { Authorization: "Bearer key-one" }],
  ])("accepts a key sent as %s", async (_how, headers) => {
    const { url, post } = await startCollector(KEYS);
    expect((await post({ spans: [span()] }, headers)).status).toBe(202);
    expect((await fetch(`${url}/v1/traces`, { headers })).status).toBe(200);
  });

  it.each([
    ["no key", {}],
    ["a wrong key", { "X-API-Key": "key-three" }],
    ["a part of a key", { "X-API-Key": "key-on" }],
    ["an empty key", { "X-API-Key": "" }],
    ["a forged cookie", { Cookie: "obspan_session=99999999999.AAAA" }],
  ])("answers 401 unauthorized to %s before it reads the body", async (_what, headers) => {
    const { url, post, metric } = await startCollector(KEYS);
    for (const answer of [await post("{not json", headers), await fetch(`${url}/v1/traces`, { headers })]) {
      expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
      expect(await errorOf(answer)).toMatchObject({ status: 401, code: "unauthorized" });
    }
    expect(await metric("obs_spans_received_total")).toBe(0);
  });

  it("needs no key for probes, the UI, the OpenAPI document, 405 and 404", async () => {
    const { url } = await startCollector(KEYS);
    for (const path of ["/health", "/ready", "/metrics", "/openapi.json"]) {
      expect((await fetch(url + path)).status).toBe(200);
    }
    expect((await fetch(`${url}/v1/config`, { method: "PATCH" })).status).toBe(405);
    expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
  });

  it("contract 5 auth.protect_metrics: /metrics requires a key", async () => {
    const { url } = await startCollector({ ...KEYS, AUTH_PROTECT_METRICS: "true" });
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await fetch(`${url}/metrics`, { headers: { "X-API-Key": "key-two" } })).status).toBe(200);
  });

  it("shows no key in /v1/config, in a response or in the log", async () => {
    const { url, lines } = await startCollector(KEYS);
    const config = await (await fetch(`${url}/v1/config`, { headers: { "X-API-Key": "key-one" } })).text();
    const refusal = await (await fetch(`${url}/v1/config`, { headers: { "X-API-Key": "guess" } })).text();
    expect(JSON.parse(config)).toMatchObject({ config: { "auth.api_keys": { value: "***", default: [] } } });
    expect(config + refusal + JSON.stringify(lines)).not.toMatch(/key-one|key-two|guess/);
  });
});

describe("contract 3, POST /v1/session", () => {
  const signIn = (url: string, key: unknown): Promise<Response> =>
    fetch(`${url}/v1/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ key }),
    });

  it("exchanges a key for a cookie that scripts and other sites cannot use", async () => {
    const { url } = await startCollector(KEYS);
    const answer = await signIn(url, "key-two");
    expect(answer.status).toBe(204);
    const cookie = answer.headers.get("Set-Cookie") ?? "";
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
    const Cookie = `theme=dark; ${cookie.split(";")[0] ?? ""}`;
    expect((await fetch(`${url}/v1/traces`, { headers: { Cookie } })).status).toBe(200);
    expect((await fetch(`${url}/v1/traces`, { headers: { Cookie: `${Cookie}x` } })).status).toBe(401);
    const foreign = { Cookie, Origin: "https://evil.example" };
    expect((await fetch(`${url}/v1/traces`, { headers: foreign })).status).toBe(403);
  });

  it("refuses a wrong key and a malformed body", async () => {
    const { url } = await startCollector(KEYS);
    expect((await signIn(url, "guess")).status).toBe(401);
    expect(await errorOf(await signIn(url, 5))).toMatchObject({
      status: 400,
      code: "invalid_payload",
      message: 'The body must be {"key": "…"}.',
    });
    const plain = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{" };
    expect(await errorOf(await fetch(`${url}/v1/session`, plain))).toMatchObject({ code: "invalid_json" });
  });

  const cookieOf = async (answer: Promise<Response>): Promise<{ Cookie: string }> => ({
    Cookie: (await answer).headers.get("Set-Cookie")?.split(";")[0] ?? "",
  });
  const signOut = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/v1/session`, { method: "DELETE", headers });

  it("signs out by DELETE", async () => {
    const { url } = await startCollector(KEYS);
    const answer = await signOut(url);
    expect(answer.headers.get("Set-Cookie")).toMatch(/^obspan_session=; Max-Age=0;/);
  });

  it("finds its cookie behind others of the same name, and ends each session of a request", async () => {
    const { url } = await startCollector({ AUTH_API_KEYS: "key-one" });
    const first = (await cookieOf(signIn(url, "key-one"))).Cookie;
    const second = (await cookieOf(signIn(url, "key-one"))).Cookie;
    const statusWith = async (Cookie: string) =>
      (await fetch(`${url}/v1/traces`, { headers: { Cookie } })).status;
    const planted = Array.from({ length: 150 }, (_, index) => `obspan_session=planted${index}`).join("; ");
    expect(await statusWith(`obspan_session=9999999999.AAAA.${"B".repeat(43)}; ${first}`)).toBe(200);
    expect(await statusWith(`obspan_session=; ${planted}; ${first}`)).toBe(200);
    expect(await statusWith(planted)).toBe(401);

    const Cookie = `obspan_session=planted; ${first}; ${second}`;
    await fetch(`${url}/v1/session`, { method: "DELETE", headers: { Cookie } });
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 401]);
  });

  it("refuses the cookie of a session after sign-out and accepts that of another session", async () => {
    const { url } = await startCollector(KEYS);
    const first = await cookieOf(signIn(url, "key-one"));
    const second = await cookieOf(signIn(url, "key-one"));
    await signOut(url, first);
    expect(await errorOf(await fetch(`${url}/v1/traces`, { headers: first }))).toMatchObject({
      status: 401,
      message: "The session has ended: sign in again.",
    });
    expect((await fetch(`${url}/v1/traces`, { headers: second })).status).toBe(200);
  });

  it("ends the live stream of a session at sign-out and keeps other streams", async () => {
    const { url } = await startCollector(KEYS);
    const signedOut = await cookieOf(signIn(url, "key-one"));
    const left = await listen(url, undefined, await cookieOf(signIn(url, "key-one")));
    const ended = once((await listen(url, undefined, signedOut)).response, "end");
    await signOut(url, signedOut);
    await ended;
    const seen = left.events.length;
    await left.next("status", () => left.events.length > seen);
    expect(left.response.readableEnded).toBe(false);
  });

  it("ends the live stream of a session when the session expires", async () => {
    const clock = new FakeClock();
    const { url } = await startCollector(KEYS, { clock });
    const { response } = await listen(url, undefined, await cookieOf(signIn(url, "key-one")));
    const ended = once(response, "end");
    clock.advance(12 * 3_600_000);
    await ended;
  });

  it("ends a session after twelve hours or a key change, and keeps it over a restart", () => {
    const clock = new FakeClock();
    const keysOf = (...keys: string[]) =>
      createApiKeys({ keys, clock, addressOf: () => "192.0.2.1", endedSessions: createEndedSessions() });
    const request = (headers: IncomingHttpHeaders) =>
      Object.assign(new IncomingMessage(new Socket()), { headers });
    const keys = keysOf("k");
    const cookie = keys.openSession("k", request({})).split(";")[0] ?? "";
    const enter = (by = keys) => by.authorize(request({ cookie }));
    enter();
    enter(keysOf("k"));
    expect(() => enter(keysOf("k", "new"))).toThrow("The session has ended");
    clock.advance(12 * 3_600_000);
    expect(() => enter()).toThrow("The session has ended");
  });

  describe("when the wall clock is set back", () => {
    const start = () => {
      const clock = new FakeClock();
      const keys = createApiKeys({
        keys: ["k"],
        clock,
        addressOf: () => "192.0.2.1",
        endedSessions: createEndedSessions(),
      });
      const request = (headers: IncomingHttpHeaders) =>
        Object.assign(new IncomingMessage(new Socket()), { headers });
      const open = () => keys.openSession("k", request({})).split(";")[0] ?? "";
      return { clock, open, enter: (cookie: string) => keys.authorize(request({ cookie })) };
    };

    it("keeps a session ended that has expired, whether or not its cookie was sent since", () => {
      const { clock, open, enter } = start();
      const [sent, unsent] = [open(), open()];
      clock.advance(12 * 3_600_000);
      expect(() => enter(sent)).toThrow("The session has ended");
      clock.wallMs -= 2 * 3_600_000;
      expect(() => enter(sent)).toThrow("The session has ended");
      expect(() => enter(unsent)).toThrow("The session has ended");
    });

    it("ends a session twelve hours after it was opened, and opens others", () => {
      const { clock, open, enter } = start();
      clock.wallMs -= 24 * 3_600_000;
      const cookie = open();
      clock.advance(11 * 3_600_000);
      enter(cookie);
      clock.advance(3_600_000);
      expect(() => enter(cookie)).toThrow("The session has ended");
      enter(open());
    });
  });
});
