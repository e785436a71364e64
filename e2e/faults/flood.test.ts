import { expect, it } from "vitest";
import { collectorForTest, type BuiltCollector } from "../harness/built-collector.js";
import { clientForTest, telemetry, type HttpClient } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { experimentSize, reportFinding } from "../harness/experiment.js";
import { peakMemoryBytes } from "../harness/peak-memory.js";
import { scrape } from "../harness/scrape.js";

/** Many times the capacity for label values and for traces. */
const SPANS = experimentSize(30_000, 1_000_000);
const SPANS_PER_BATCH = 2_000;
const MEBIBYTE = 1024 * 1024;
/** A million spans take ten seconds, or minutes on a busy machine. */
const FLOOD_TIMEOUT_MS = 240_000;

/** Sends `SPANS` spans in batches, as fast as the collector accepts them. */
async function flood(
  client: HttpClient,
  span: (n: number) => Record<string, unknown>,
  headers: (batch: number) => Record<string, string> = () => ({}),
): Promise<void> {
  for (let from = 0; from < SPANS; from += SPANS_PER_BATCH) {
    const spans = Array.from({ length: SPANS_PER_BATCH }, (_, index) => span(from + index));
    const body = JSON.stringify({ service: "flood", spans });
    for (;;) {
      const { status } = await client.send(telemetry(body, headers(from))).answer;
      if (status === 202) break;
      expect(status).toBe(429);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function listNewest(collector: BuiltCollector, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null && ids.length < limit) {
    const page = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`${collector.url}/v1/traces?limit=1000${page}`);
    const { traces, next_cursor } = (await answer.json()) as {
      traces: { trace_id: string }[];
      next_cursor: string | null;
    };
    ids.push(...traces.map(({ trace_id }) => trace_id));
    cursor = next_cursor;
  }
  return ids;
}

it(
  "reliability.md 13: keeps limits.max_series in a flood of distinct models, tools, agents and tenants",
  { timeout: FLOOD_TIMEOUT_MS },
  async () => {
    const collector = await collectorForTest({ MULTI_TENANT_ENABLED: "true", SRE_ENABLED: "true" });
    const client = clientForTest(collector.url, 1);
    await flood(
      client,
      (n) => ({
        name: "call",
        trace_id: `t${n % 1000}`,
        span_id: `s${n}`,
        span_type: ["llm", "tool", `type-${n}`][n % 3],
        status: n % 7 === 0 ? "ERROR" : "OK",
        duration_ms: n % 1000,
        attributes: {
          model: `m${n}`,
          provider: `p${n}`,
          agent: `a${n}`,
          tool_name: `t${n}`,
          tokens_input: n % 500,
        },
      }),
      (batch) => ({ "X-Tenant-ID": `tenant-${batch}` }),
    );
    const ledger = await ledgerAtRest(collector.url);
    expectToAddUp(ledger);
    expect(ledger.processed).toBe(SPANS);

    const startedAtMs = performance.now();
    const { samples, value } = await scrape(collector.url);
    const scrapeMs = performance.now() - startedAtMs;
    const ofSpans = samples.filter(({ labels }) => labels["service"] !== undefined);
    const tuples = new Set(
      ofSpans.map(({ name, labels }) =>
        JSON.stringify([name.replace(/_(bucket|sum|count)$/, ""), { ...labels, le: undefined }]),
      ),
    );
    expect(tuples.size).toBeLessThanOrEqual(20_000);
    // Nothing is lost: the excess is counted under __other__.
    expect(
      value("obs_spans_total", { service: "flood" }) + value("obs_spans_total", { service: "__other__" }),
    ).toBe(SPANS);
    const peakMebibytes = Math.round(peakMemoryBytes(collector.pid) / MEBIBYTE);
    reportFinding(
      13,
      `${SPANS} spans: ${tuples.size} label sets, a scrape in ${Math.round(scrapeMs)} ms, ${peakMebibytes} MiB resident at most`,
    );
    expect(peakMebibytes).toBeLessThan(1024);
  },
);

it(
  "reliability.md 14: keeps exactly the newest 10,000 traces of a flood, in order",
  { timeout: FLOOD_TIMEOUT_MS },
  async () => {
    const collector = await collectorForTest();
    const client = clientForTest(collector.url, 1);
    await flood(client, (n) => ({ name: "run", trace_id: `t${n}`, span_id: "s", duration_ms: 1 }));
    expectToAddUp(await ledgerAtRest(collector.url));
    const ids = await listNewest(collector, 20_000);
    expect(ids).toEqual(Array.from({ length: 10_000 }, (_, index) => `t${SPANS - 1 - index}`));
    const { value } = await scrape(collector.url);
    expect(value("obs_trace_store_evicted_total", { reason: "max_traces" })).toBe(SPANS - 10_000);
    const heapMebibytes = Math.round(value("nodejs_heap_size_used_bytes") / MEBIBYTE);
    const peakMebibytes = Math.round(peakMemoryBytes(collector.pid) / MEBIBYTE);
    reportFinding(
      14,
      `${SPANS} traces: exactly the newest 10,000; heap ${heapMebibytes} MiB, ${peakMebibytes} MiB resident at most`,
    );
  },
);

it("reliability.md 14: drops the first span of traces of 501 spans and keeps their totals", async () => {
  const collector = await collectorForTest();
  const client = clientForTest(collector.url, 1);
  for (let trace = 0; trace < 20; trace++) {
    const spans = Array.from({ length: 501 }, (_, index) => ({
      name: `span ${index}`,
      trace_id: `t${trace}`,
      span_id: `s${index}`,
      span_type: "llm",
      duration_ms: 1,
      attributes: { tokens_input: 1 },
    }));
    expect((await client.send(telemetry({ spans })).answer).status).toBe(202);
  }
  await ledgerAtRest(collector.url);
  for (const id of ["t0", "t19"]) {
    const answer = await fetch(`${collector.url}/v1/traces/${id}`);
    const { trace, spans } = (await answer.json()) as {
      trace: Record<string, unknown>;
      spans: { name: string }[];
    };
    expect(trace).toMatchObject({ span_count: 500, dropped_spans: 1, tokens_input: 501, llm_calls: 501 });
    expect(spans.map(({ name }) => name)).not.toContain("span 0");
  }
});
