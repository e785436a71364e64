import { describe, expect } from "vitest";
import { collectorForTest } from "../harness/built-collector.js";
import { burst } from "../harness/held-collector.js";
import { clientForTest, smallSpans, telemetry } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";
import { until } from "../harness/until.js";
import { rule } from "./rule.js";

const SPANS_PER_BATCH = 2000;

/** Batches of twice the capacity of the queue. */
const tooMuchFor = (queueSize: number) =>
  Array.from({ length: (2 * queueSize) / SPANS_PER_BATCH }, (_, index) =>
    telemetry(smallSpans(SPANS_PER_BATCH, `t${index}`)),
  );

describe("the queue's levels", () => {
  rule("3.2", "reject: refuses new spans with 429 from the hard limit on, and drops none", async () => {
    const collector = await collectorForTest({ LIMITS_MAX_QUEUE_SIZE: "20000" });
    const requests = tooMuchFor(20_000);
    const { responses } = await burst(collector, clientForTest(collector.url, requests.length), requests);
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(9);
    expect(statuses).toContain(429);
    const ledger = await ledgerAtRest(collector.url);
    expectToAddUp(ledger);
    expect(ledger.dropped["evicted_oldest"] ?? 0).toBe(0);
    expect(collector.stderr.filter((line) => / WARNING .*soft/.test(line))).toHaveLength(1);
  });

  rule("3.2", "drop_oldest: accepts all spans and evicts the oldest", async () => {
    const collector = await collectorForTest({
      LIMITS_MAX_QUEUE_SIZE: "20000",
      BACKPRESSURE_MODE: "drop_oldest",
    });
    const requests = tooMuchFor(20_000);
    const { responses } = await burst(collector, clientForTest(collector.url, requests.length), requests);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    const ledger = await ledgerAtRest(collector.url);
    expectToAddUp(ledger);
    expect(ledger.dropped["evicted_oldest"]).toBeGreaterThan(0);
  });

  rule("3.2", "shows 0 in the gauge below the soft limit", async () => {
    const collector = await collectorForTest();
    const seen = await scrape(collector.url);
    expect(seen.value("obs_backpressure_soft_limit_reached")).toBe(0);
    expect(seen.value("obs_backpressure_hard_limit_active")).toBe(0);
  });

  rule(
    "3.3",
    "is not ready at the hard limit, reports the usage, and is ready again afterwards",
    async () => {
      const collector = await collectorForTest({ LIMITS_MAX_QUEUE_SIZE: "20000" });
      const requests = tooMuchFor(20_000).flatMap((batch) => [batch, { path: "/ready" }]);
      const client = clientForTest(collector.url, requests.length);
      // How many requests the collector reads before its worker runs varies, so this asks after every batch, in every burst.
      const full = await until("the collector is not ready", async () => {
        const { responses } = await burst(collector, client, requests);
        return responses.find(({ status }) => status === 503);
      });
      expect(JSON.parse(full.body)).toEqual({
        status: "not_ready",
        queue_pct: expect.any(Number),
        reasons: [expect.stringMatching(/^queue_pct=[\d.]+% >= hard_limit=95(\.0)?%$/)],
      });
      await ledgerAtRest(collector.url);
      expect((await fetch(`${collector.url}/ready`)).status).toBe(200);
    },
  );
});

describe("SIGTERM", () => {
  rule("4.9 rule 6", "processes accepted spans before the exit and logs the ledger last", async () => {
    const collector = await collectorForTest();
    const requests = tooMuchFor(20_000);
    const client = clientForTest(collector.url, requests.length);
    const { responses } = await burst(collector, client, requests, () => collector.signal("SIGTERM"));
    const accepted = responses.filter(({ status }) => status === 202).length * SPANS_PER_BATCH;
    expect(await collector.exit).toEqual({ code: 0, signal: null });
    const ledger = collector.lastLedger();
    expectToAddUp(ledger);
    expect(ledger).toMatchObject({ accepted, processed: accepted, queued: 0 });
  });

  rule("4.9 rule 6", "drops and counts waiting spans without drain_queue", async () => {
    const collector = await collectorForTest({ SHUTDOWN_DRAIN_QUEUE: "false" });
    const requests = tooMuchFor(20_000);
    const client = clientForTest(collector.url, requests.length);
    await burst(collector, client, requests, () => collector.signal("SIGTERM"));
    expect(await collector.exit).toEqual({ code: 0, signal: null });
    const ledger = collector.lastLedger();
    expectToAddUp(ledger);
    expect(ledger.dropped["shutdown"]).toBeGreaterThan(0);
  });
});
