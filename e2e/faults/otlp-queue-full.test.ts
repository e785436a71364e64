import { expect, it } from "vitest";
import { collectorForTest } from "../harness/built-collector.js";
import { burst } from "../harness/held-collector.js";
import { clientForTest, type Outgoing } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";

/** Less than a lease, so that the worker takes none before all requests of the burst are read. */
const CAPACITY = 100;
const REQUESTS = 6;
const SPANS_PER_REQUEST = 40;
const TOKENS_PER_SPAN = 3;

/** An `ExportTraceServiceRequest` of model calls in one trace. */
function traces(number: number): Outgoing {
  const attributes = [
    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
    { key: "gen_ai.request.model", value: { stringValue: "gpt-4o" } },
    { key: "gen_ai.usage.input_tokens", value: { intValue: String(TOKENS_PER_SPAN) } },
  ];
  const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) => ({
    traceId: String(number + 1).padStart(32, "0"),
    spanId: String(index + 1).padStart(16, "0"),
    name: "chat",
    startTimeUnixNano: "1763694903384123456",
    endTimeUnixNano: "1763694904384123456",
    attributes,
  }));
  return {
    method: "POST",
    path: "/v1/traces",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  };
}

it("spec 3.2: refuses OTLP with 429 while the queue is full, and counts a retried request once", async () => {
  const collector = await collectorForTest({ LIMITS_MAX_QUEUE_SIZE: String(CAPACITY) });
  const client = clientForTest(collector.url, REQUESTS);
  const requests = Array.from({ length: REQUESTS }, (_, number) => traces(number));

  const { responses } = await burst(collector, client, requests);
  const refused = requests.filter((_, index) => responses[index]?.status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, headers, body } of responses) {
    if (status === 200) {
      expect(body).toBe("{}");
      continue;
    }
    expect(status).toBe(429);
    expect(headers["content-type"]).toBe("application/json");
    expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
    // google.rpc.Code RESOURCE_EXHAUSTED.
    expect(JSON.parse(body)).toEqual({ code: 8, message: expect.stringMatching(/^queue_full: /) });
  }

  // Like an exporter after Retry-After, but here the queue is known to be empty.
  await ledgerAtRest(collector.url);
  for (const request of refused) {
    expect((await client.send(request).answer).status).toBe(200);
    await ledgerAtRest(collector.url);
  }

  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  const sent = REQUESTS * SPANS_PER_REQUEST;
  expect(ledger).toMatchObject({
    accepted: sent,
    processed: sent,
    rejected: { queue_full: refused.length * SPANS_PER_REQUEST },
  });
  const metrics = await scrape(collector.url);
  expect(metrics.value("obs_tokens_input_sum")).toBe(sent * TOKENS_PER_SPAN);
  const list = await client.send({ path: "/v1/traces" }).answer;
  const { traces: kept } = JSON.parse(list.body) as { traces: { span_count: number }[] };
  expect(kept.map(({ span_count: count }) => count)).toEqual(Array(REQUESTS).fill(SPANS_PER_REQUEST));
});
