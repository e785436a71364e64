import { describe, expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import { createRateLimits } from "../../src/ingest/rate-limits.js";
import { createSharedBuckets } from "../../src/shared/shared-buckets.js";
import { errorOf, span, startCollector } from "../running-collector.js";
import { redisOfFile, shareThrough, until } from "./redis-of-file.js";

const file = redisOfFile();

/** The limits of a collector. `take` resolves with the remaining requests, or with the error. */
async function limitsOf(limits: { perIpRpm: number; perServiceRpm: number }) {
  const { redis } = await shareThrough(file.server);
  const rateLimits = createRateLimits({ ...limits, shared: createSharedBuckets(redis) });
  const take = async (address: string | undefined, ...services: string[]) => {
    try {
      const headers = await rateLimits.takeShared(address, services);
      return headers.map((each) => Number(each["RateLimit-Remaining"]));
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };
  return { redis, rateLimits, take };
}

describe("spec 4.9 rule 7: rate limits that collectors share", () => {
  it("contract 2: one bucket for all collectors, taken from once a request", async () => {
    const first = await limitsOf({ perIpRpm: 3, perServiceRpm: 2 });
    const second = await limitsOf({ perIpRpm: 3, perServiceRpm: 2 });
    expect(await first.take("10.0.0.1", "shop")).toEqual([2, 1]);
    expect(await second.take("10.0.0.1", "shop")).toEqual([1, 0]);
    expect(await first.take("10.0.0.1", "shop")).toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining('the service "shop" (rate_limit.per_service_rpm)'),
      details: { limit: 2 },
    });
    expect(await second.take("10.0.0.1", "pay")).toMatchObject({
      message: expect.stringContaining("the address 10.0.0.1 (rate_limit.per_ip_rpm)"),
      headers: { "RateLimit-Remaining": "0" },
    });
    expect(await second.take("10.0.0.2", "pay", "bank")).toEqual([2, 1, 1]);
    // The address gave its token with the first services.
    expect(await second.take(undefined, "pay")).toEqual([0]);
  });

  it("a sender that all refuse is refused without asking Redis again", async () => {
    const first = await limitsOf({ perIpRpm: 2, perServiceRpm: 100 });
    const second = await limitsOf({ perIpRpm: 2, perServiceRpm: 100 });
    for (const name of ["a", "b"]) await first.take("10.0.1.1", name);
    second.rateLimits.takeForAddress("10.0.1.1");
    expect(await second.take("10.0.1.1", "c")).toBeInstanceOf(ApiError);
    expect(() => second.rateLimits.takeForAddress("10.0.1.1")).toThrow(ApiError);
  });

  it("refills evenly by the clock of Redis, and forgets a bucket that is full", async () => {
    await file.server.command("FLUSHALL");
    const { take } = await limitsOf({ perIpRpm: 6000, perServiceRpm: 6_000_000 });
    for (let each = 0; each < 20; each++) await take("10.0.2.1", `service ${each}`);
    await until("all buckets are full", async () => (await keys()).length === 0);
    expect(await take("10.0.2.1", "shop")).toEqual([5999, 5_999_999]);
  });

  it("keeps no name of a sender in Redis", async () => {
    await file.server.command("FLUSHALL");
    const { take } = await limitsOf({ perIpRpm: 1, perServiceRpm: 1 });
    await take("10.0.3.1", "SECRET-9".repeat(100));
    const kept = await keys();
    expect(kept).toHaveLength(2);
    for (const key of kept) expect(key).toMatch(/^obspan:r:(?:address|service):[\w-]{27}$/);
  });

  it("decides alone while Redis is away, from what was left", async () => {
    const { redis, rateLimits, take } = await limitsOf({ perIpRpm: 3, perServiceRpm: 100 });
    const other = await limitsOf({ perIpRpm: 3, perServiceRpm: 100 });
    await other.take("10.0.4.1", "a");
    rateLimits.takeForAddress("10.0.4.1");
    expect(await take("10.0.4.1", "a")).toEqual([1, 98]);
    await file.server.kill();
    try {
      await until("the loss is noticed", () => !redis.usage().isAvailable);
      expect(rateLimits.takeShared("10.0.4.1", ["a"])).toEqual([]);
      expect(redis.usage().alone.rate_limits).toBe(1);
      rateLimits.takeForAddress("10.0.4.1");
      expect(() => rateLimits.takeForAddress("10.0.4.1")).toThrow(ApiError);
    } finally {
      await file.server.start();
    }
    await until("Redis answers", () => redis.usage().isAvailable);
    expect(await take("10.0.4.2", "b")).toEqual([2, 99]);
  });

  it("waits for a Redis that does not answer once, and for no later question until it does", async () => {
    const { redis, lines } = await shareThrough(file.server, 100);
    const buckets = createSharedBuckets(redis);
    const bucket = { kind: "address", name: "10.0.6.1", perMinute: 3 } as const;
    file.server.signal("SIGSTOP");
    try {
      expect(await buckets.take([bucket])).toBeUndefined();
      expect(buckets.take([bucket])).toBeUndefined();
      expect(redis.usage()).toEqual({
        isAvailable: false,
        alone: { rate_limits: 2, model_calls: 0, sessions: 0, evaluations: 0, live: 0 },
      });
    } finally {
      file.server.signal("SIGCONT");
    }
    await until("Redis answers", async () => (await buckets.take([bucket])) !== undefined);
    expect(lines.join("\n")).toMatch(
      /Redis does not answer \(no answer within 100 ms\)\. Until it does, .*\n.*Redis answers: /,
    );
  });

  it("decides alone if Redis has no memory left", async () => {
    const { redis, take } = await limitsOf({ perIpRpm: 3, perServiceRpm: 100 });
    onTestFinished(async () => void (await file.server.command("CONFIG", "SET", "maxmemory", "0")));
    await file.server.command("CONFIG", "SET", "maxmemory", "1");
    expect(await take("10.0.5.1", "a")).toEqual([]);
    expect(redis.usage()).toMatchObject({ isAvailable: true, alone: { rate_limits: 1 } });
  });
});

async function keys(): Promise<string[]> {
  return (await file.server.command("KEYS", "obspan:r:*")).filter((key) => key !== "");
}

describe("collectors with one queue.url", () => {
  it("spec 4.9 rule 7: refuse a sender together, over JSON and OTLP", async () => {
    const settings = {
      QUEUE_URL: file.server.url,
      RATE_LIMIT_ENABLED: "true",
      RATE_LIMIT_PER_SERVICE_RPM: "1",
    };
    const first = await startCollector(settings);
    const second = await startCollector(settings);
    for (const each of [first, second])
      await until("it is ready", async () => (await fetch(`${each.url}/ready`)).status === 200);
    // While this machine is busy, Redis may answer too late: the next service is tried.
    for (const send of [second.post, otlpTo(second.url)]) {
      let tries = 0;
      let answer: Response | undefined;
      await until("the second refuses what the first has accepted", async () => {
        const service = `shop ${send.name} ${tries++}`;
        if ((await first.post({ service, spans: [span()] })).status !== 202) return false;
        answer = await send({ service, spans: [span()] });
        return answer.status === 429;
      });
      expect(Number(answer?.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    expect(await errorOf(await second.post({ service: "later", spans: "none" }))).toMatchObject({
      status: 400,
    });
    expect(await second.metric('obs_spans_rejected_total{reason="rate_limited"}')).toBeGreaterThan(0);
    await until("Redis answers", async () => (await second.metric("obs_shared_state_available")) === 1);
  });
});

function otlpTo(url: string) {
  return async function otlp({ service }: { readonly service: string }): Promise<Response> {
    const spans = [{ traceId: "5b8efff798038103d269b633813fc60c", spanId: "eee19b7ec3c1b174", name: "s" }];
    const attributes = [{ key: "service.name", value: { stringValue: service } }];
    return await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] }),
    });
  };
}
