import { expect, it } from "vitest";
import { collectorForTest, type BuiltCollector, type Settings } from "../harness/built-collector.js";
import { burst } from "../harness/held-collector.js";
import { batchOf, clientForTest, smallSpans, telemetry, type Answer } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest, sum } from "../harness/ledger.js";
import { reportFinding } from "../harness/experiment.js";
import { peakMemoryBytes } from "../harness/peak-memory.js";
import { scrape } from "../harness/scrape.js";

/** 80,000 spans for the default queue of 50,000, all in one turn of the event loop. */
const BATCHES = 40;
const SPANS_PER_BATCH = 2000;
const SENT = BATCHES * SPANS_PER_BATCH;
/** The default hard limit: 95 % of 50,000. */
const HARD_LIMIT = 47_500;

const READY = { path: "/ready" };
const MEBIBYTE = 1024 * 1024;

function batches(): ReturnType<typeof telemetry>[] {
  return Array.from({ length: BATCHES }, (_, index) => telemetry(smallSpans(SPANS_PER_BATCH, `t${index}`)));
}

function startStructured(settings: Settings = {}): Promise<BuiltCollector> {
  return collectorForTest({ LOGGING_STRUCTURED: "true", ...settings });
}

function withStatus(responses: readonly Answer[], status: number): Answer[] {
  return responses.filter((each) => each.status === status);
}

/** Expects 202 or the refusal of contract 2. */
function expectRefusals(responses: readonly Answer[]): void {
  for (const { status, headers, body } of responses.filter((each) => each.status !== 202)) {
    expect(status).toBe(429);
    expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(body)).toEqual({
      error: {
        code: "queue_full",
        message: expect.stringMatching(/queue|received/),
        details: expect.any(Object),
      },
    });
  }
}

it("spec 3.2: reject refuses from the hard limit on with Retry-After, warns once of each limit, is not ready, and drains to an exact ledger", async () => {
  const collector = await startStructured();
  const client = clientForTest(collector.url, 2 * BATCHES);

  // It is asked after every batch: how much the collector reads before its worker runs varies.
  const { responses } = await burst(
    collector,
    client,
    batches().flatMap((each) => [each, READY]),
  );
  const posted = responses.filter((_, index) => index % 2 === 0);
  const ready = responses.find(({ status }, index) => index % 2 === 1 && status === 503);
  const accepted = withStatus(posted, 202);
  expectRefusals(posted);
  const refusal = JSON.parse(posted.find(({ status }) => status === 429)?.body ?? "") as {
    error: { details: { queue_pct: number; hard_limit_pct: number } };
  };
  const { queue_pct: pct, hard_limit_pct: hardLimitPct } = refusal.error.details;
  expect(hardLimitPct).toBe(95);
  // The limit is reached before anything is refused, and the queue never exceeds its capacity.
  expect(pct).toBeGreaterThanOrEqual(95);
  expect(pct).toBeLessThanOrEqual(100);

  expect(accepted.length * SPANS_PER_BATCH).toBeGreaterThanOrEqual(HARD_LIMIT);
  expect(accepted.length).toBeLessThan(BATCHES);
  expect(ready?.status).toBe(503);
  const notReady = JSON.parse(ready?.body ?? "") as { queue_pct: number };
  expect(notReady.queue_pct).toBeGreaterThanOrEqual(95);
  expect(notReady).toEqual({
    status: "not_ready",
    queue_pct: notReady.queue_pct,
    reasons: [`queue_pct=${notReady.queue_pct}% >= hard_limit=95%`],
  });

  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  const refusedSpans = (BATCHES - accepted.length) * SPANS_PER_BATCH;
  expect(ledger).toMatchObject({
    received: SENT,
    accepted: SENT - refusedSpans,
    processed: SENT - refusedSpans,
    rejected: { queue_full: refusedSpans },
  });
  expect(sum(ledger.dropped)).toBe(0);

  const warnings = collector.stderr
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ level }) => level === "WARNING");
  expect(warnings).toMatchObject([
    { logger: "queue", message: expect.stringContaining("soft limit"), queue_pct: expect.any(Number) },
    { logger: "queue", message: expect.stringContaining("hard limit"), queue_pct: expect.any(Number) },
  ]);

  const metrics = await scrape(collector.url);
  const requests = (status: string): number =>
    metrics.value("obs_http_requests_total", { route: "/v1/telemetry", status });
  expect(requests("202")).toBe(accepted.length);
  expect(requests("429")).toBe(BATCHES - accepted.length);
  expect(metrics.value("obs_backpressure_soft_limit_reached")).toBe(0);
  expect(metrics.value("obs_backpressure_hard_limit_active")).toBe(0);
  expect((await client.send(READY).answer).status).toBe(200);
  expect((await client.send(telemetry(batchOf(1, "afterwards"))).answer).status).toBe(202);

  expect(await collector.stop()).toEqual({ code: 0, signal: null });
  const atEnd = collector.lastLedger();
  expectToAddUp(atEnd);
  expect(atEnd).toMatchObject({ received: SENT + 1, accepted: ledger.accepted + 1, queued: 0, inFlight: 0 });
});

it("spec 3.2: drop_oldest accepts everything, counts evicted spans, and keeps the newest", async () => {
  const collector = await startStructured({ BACKPRESSURE_MODE: "drop_oldest" });
  const client = clientForTest(collector.url, BATCHES);

  const { responses } = await burst(collector, client, batches());
  expect(withStatus(responses, 202)).toHaveLength(BATCHES);

  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  const evicted = ledger.dropped["evicted_oldest"] ?? 0;
  expect(ledger).toMatchObject({ received: SENT, accepted: SENT, processed: SENT - evicted });
  expect(evicted).toBeGreaterThan(0);
  expect(evicted).toBeLessThanOrEqual(SENT - HARD_LIMIT);

  // The spans missing in the store are those that were counted.
  const metrics = await scrape(collector.url);
  expect(metrics.value("obs_trace_store_spans")).toBe(SENT - evicted);
  expect(metrics.value("obs_spans_total")).toBe(SENT - evicted);

  expect(await collector.stop()).toEqual({ code: 0, signal: null });
  expectToAddUp(collector.lastLedger());
});

it("drop_oldest evicts single spans, the oldest first", async () => {
  const collector = await startStructured({
    BACKPRESSURE_MODE: "drop_oldest",
    LIMITS_MAX_QUEUE_SIZE: "100",
    BACKPRESSURE_HARD_LIMIT_PCT: "100",
  });
  const client = clientForTest(collector.url, 40);
  const requests = Array.from({ length: 40 }, (_, index) => telemetry(batchOf(7, `t${index}`)));
  const { responses } = await burst(collector, client, requests);
  expect(withStatus(responses, 202)).toHaveLength(40);

  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  const evicted = ledger.dropped["evicted_oldest"] ?? 0;
  expect(evicted).toBeGreaterThan(0);

  const response = await fetch(`${collector.url}/v1/traces?limit=1000`);
  const { traces } = (await response.json()) as { traces: { trace_id: string; span_count: number }[] };
  const kept = traces.reduce((total, { span_count: count }) => total + count, 0);
  expect(kept).toBe(280 - evicted);
  // Nothing can have evicted the last 100 spans: 14 whole batches, and 2 spans of the one before.
  const newest = traces.slice(0, 14).map(({ span_count: count }) => count);
  expect(newest).toEqual(new Array(14).fill(7));
  expect(traces[14]?.span_count).toBeGreaterThanOrEqual(2);
});

it("refuses a batch larger than the queue in both modes", async () => {
  for (const mode of ["reject", "drop_oldest"]) {
    const { url } = await startStructured({ BACKPRESSURE_MODE: mode, LIMITS_MAX_QUEUE_SIZE: "10" });
    const client = clientForTest(url, 1);
    const { status, body } = await client.send(telemetry(batchOf(11, "large"))).answer;
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({
      error: { code: "batch_too_large", details: { size: 11, capacity: 10 } },
    });
    const ledger = await ledgerAtRest(url);
    expectToAddUp(ledger);
    expect(ledger).toMatchObject({ received: 11, accepted: 0, rejected: { batch_too_large: 11 } });
  }
});

it("limits.max_queue_bytes refuses prompts of 100 KB before memory runs out", async () => {
  const prompt = "The quick brown fox jumps over the lazy dog. ".repeat(2280).slice(0, 100 * 1024);
  const connections = 200;
  const rounds = 20;
  const sentBytes = connections * rounds * prompt.length;
  const collector = await startStructured({
    LIMITS_MAX_QUEUE_BYTES: String(8 * MEBIBYTE),
    TRACE_STORE_MAX_BYTES: String(32 * MEBIBYTE),
  });
  const client = clientForTest(collector.url, connections);

  let accepted = 0;
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const requests = Array.from({ length: connections }, (_, index) =>
      telemetry(batchOf(1, `t${round}-${index}`, { attributes: { prompt_text: prompt } })),
    );
    const { responses } = await burst(collector, client, requests);
    const taken = withStatus(responses, 202).length;
    accepted += taken;
    refused += responses.length - taken;
    expectRefusals(responses);
  }
  expect(refused).toBeGreaterThan(0);
  expect(accepted).toBeGreaterThan(0);

  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  expect(ledger).toMatchObject({ accepted, processed: accepted });
  // Bodies refused during reception had no spans to count, but all are counted as requests.
  expect(ledger.rejected["queue_full"] ?? 0).toBeLessThanOrEqual(refused);
  const metrics = await scrape(collector.url);
  const answered = { route: "/v1/telemetry", status: "429" };
  expect(metrics.value("obs_http_requests_total", answered)).toBe(refused);

  const peak = peakMemoryBytes(collector.pid);
  const toMebibytes = (bytes: number): number => Math.round(bytes / MEBIBYTE);
  reportFinding(4, `${toMebibytes(sentBytes)} MiB sent, ${toMebibytes(peak)} MiB resident at most`);
  expect(peak).toBeLessThan(sentBytes);
  expect(peak).toBeLessThan(360 * MEBIBYTE);
});

it("counts the same spans as its clients over many bursts", async () => {
  const collector = await startStructured({ LIMITS_MAX_QUEUE_SIZE: "200" });
  const client = clientForTest(collector.url, 64);
  const bursts = 10;
  let acceptedSpans = 0;
  let refusedSpans = 0;
  for (let round = 0; round < bursts; round++) {
    const sizes = Array.from({ length: 64 }, (_, index) => 1 + ((index * 7 + round) % 40));
    const requests = sizes.map((size, index) => telemetry(batchOf(size, `t${round}-${index}`)));
    const { responses } = await burst(collector, client, requests);
    for (const [index, { status }] of responses.entries()) {
      const size = sizes[index] ?? 0;
      if (status === 202) acceptedSpans += size;
      else refusedSpans += size;
    }
  }
  expect(refusedSpans).toBeGreaterThan(0);

  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  expect(ledger).toMatchObject({ accepted: acceptedSpans, processed: acceptedSpans });
  expect(ledger.rejected).toEqual({ queue_full: refusedSpans });
});
