import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import { createRateLimits } from "../../src/ingest/rate-limits.js";
import { errorOf, span, startCollector } from "../running-collector.js";

const ON = { RATE_LIMIT_ENABLED: "true" };

describe("spec 2.6 rate_limit: ingest requests", () => {
  it("spec 4.9 rule 7: answers 429 rate_limited over per_ip_rpm and enqueues nothing", async () => {
    const { post, metric } = await startCollector({ ...ON, RATE_LIMIT_PER_IP_RPM: "2" });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await post({ spans: [span()] })).status);
    expect(statuses).toEqual([202, 202, 429]);
    const refused = await post({ spans: [span()] });
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({
      code: "rate_limited",
      message: expect.stringMatching(/^More than 2 requests per minute from the address 127\.0\.0\.1 /),
      details: { limit: 2 },
    });
    expect(await metric("obs_spans_received_total")).toBe(2);
    expect(await metric('obs_http_requests_total{route="/v1/telemetry",status="429"}')).toBe(2);
  });

  it("spec 4.9 rule 7: applies per_service_rpm to the service in the payload, even if the rest is invalid", async () => {
    const { post, settled, metric } = await startCollector({ ...ON, RATE_LIMIT_PER_SERVICE_RPM: "1" });
    expect((await post({ service: "shop", spans: [span()] })).status).toBe(202);
    expect((await post({ service: "bank", spans: [span()] })).status).toBe(202);
    expect(await errorOf(await post({ service: "shop", spans: [span(), span()] }))).toMatchObject({
      status: 429,
      message: expect.stringContaining('the service "shop" (rate_limit.per_service_rpm)'),
    });
    expect((await post({ service: "shop", spans: "none" })).status).toBe(429);
    await settled();
    expect(await metric('obs_spans_rejected_total{reason="rate_limited"}')).toBe(2);
    expect(await metric("obs_spans_received_total")).toBe(4);
  });

  it("reports the remaining requests of the nearer limit", async () => {
    const { post } = await startCollector({
      ...ON,
      RATE_LIMIT_PER_IP_RPM: "50",
      RATE_LIMIT_PER_SERVICE_RPM: "10",
    });
    const { headers } = await post({ service: "shop", spans: [span()] });
    expect(headers.get("RateLimit-Limit")).toBe("10");
    expect(headers.get("RateLimit-Remaining")).toBe("9");
    expect(headers.get("RateLimit-Reset")).toBe("6");
    expect(headers.get("RateLimit-Policy")).toBe("10;w=60");
  });

  it("does not limit scrapes, queries and probes", async () => {
    const { url, post } = await startCollector({ ...ON, RATE_LIMIT_PER_IP_RPM: "1" });
    await post({ spans: [] });
    for (const path of ["/metrics", "/v1/traces", "/ready", "/health"]) {
      expect((await fetch(url + path)).status).toBe(200);
    }
  });

  it("is off by default", async () => {
    const { post } = await startCollector({ RATE_LIMIT_PER_IP_RPM: "1" });
    for (let n = 0; n < 3; n++) expect((await post({ spans: [] })).status).toBe(202);
  });

  it.each([
    ["192.0.2.1", "192.0.2.1:49152", "192.0.2.1:49153"],
    ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:49152"],
    ["192.0.2.9", "192.0.2.9:1, 10.0.0.1:4711", "192.0.2.9:2, 10.0.0.1:4712"],
  ])("takes %s for one client, also where the proxy adds the port", async (...forms) => {
    const settings = { ...ON, RATE_LIMIT_PER_IP_RPM: "2", TRUSTED_PROXIES: "127.0.0.1,10.0.0.1" };
    const { post } = await startCollector(settings);
    const statuses = [];
    for (const form of forms)
      statuses.push((await post({ spans: [span()] }, { "X-Forwarded-For": form })).status);
    expect(statuses).toEqual([202, 202, 429]);
  });

  it("contract 5 server.trusted_proxies: reads X-Forwarded-For only from trusted peers", async () => {
    const settings = { ...ON, RATE_LIMIT_PER_IP_RPM: "1" };
    const from = (addresses: string) => ({ "X-Forwarded-For": addresses });
    const plain = await startCollector(settings);
    expect((await plain.post({ spans: [] }, from("10.0.0.1"))).status).toBe(202);
    expect((await plain.post({ spans: [] }, from("10.0.0.2"))).status).toBe(429);

    const behindProxy = await startCollector({ ...settings, TRUSTED_PROXIES: "127.0.0.0/8,10.9.0.0/16" });
    expect((await behindProxy.post({ spans: [] }, from("10.0.0.1"))).status).toBe(202);
    expect((await behindProxy.post({ spans: [] }, from("10.0.0.2"))).status).toBe(202);
    // A sender's own entries are further left and are ignored.
    expect((await behindProxy.post({ spans: [] }, from("1.1.1.1, 10.0.0.2, 10.9.1.1"))).status).toBe(429);
  });
});

describe("token buckets", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const refused = (take: () => unknown): boolean => {
    try {
      take();
      return false;
    } catch (error) {
      if (error instanceof ApiError) return true;
      throw error;
    }
  };

  it("contract 2: no minute reaches twice the limit, and tokens refill evenly", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const limits = createRateLimits({ perIpRpm: 60, perServiceRpm: 60 });
    const takeAll = (): number => {
      let taken = 0;
      while (!refused(() => limits.takeForAddress("10.0.0.1"))) taken++;
      return taken;
    };
    expect(takeAll()).toBe(60);
    vi.advanceTimersByTime(10_000);
    expect(takeAll()).toBe(10);
    vi.advanceTimersByTime(120_000);
    expect(takeAll()).toBe(60);
  });

  it("counts an IPv6 /64 as one sender", () => {
    const limits = createRateLimits({ perIpRpm: 1, perServiceRpm: 1 });
    limits.takeForAddress("2001:db8:1:2::1");
    expect(refused(() => limits.takeForAddress("2001:db8:1:2:ffff::9"))).toBe(true);
    expect(refused(() => limits.takeForAddress("2001:db8:1:3::1"))).toBe(false);
    limits.takeForAddress("10.0.0.1");
    expect(refused(() => limits.takeForAddress("::ffff:10.0.0.1"))).toBe(true);
  });
});
