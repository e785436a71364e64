import { createEvaluationMetrics } from "../../../src/pipeline/metrics/evaluation-metrics.js";
import { createExportMetrics } from "../../../src/pipeline/metrics/export-metrics.js";
import { describe, expect, it } from "vitest";
import { METRIC_FAMILIES } from "../../../src/api-schema/metrics.js";
import type { ByteBudgetUsage } from "../../../src/in-flight/byte-budget.js";
import type { PressureLevel, QueueUsage, TraceStoreUsage } from "../../../src/interfaces.js";
import { createObjectiveGauges } from "../../../src/pipeline/metrics/objective-gauges.js";
import { createPipelineMetrics } from "../../../src/pipeline/metrics/pipeline-metrics.js";
import { createTestMetrics, onlySample, samplesOf, scrape } from "./support.js";

const QUEUE_USAGE: QueueUsage = {
  spans: 40_000,
  bytes: 1_000_000,
  capacitySpans: 50_000,
  capacityBytes: 2_000_000,
  usagePct: 80,
  inFlight: 256,
  waiting: 0,
  isAvailable: true,
  level: "soft_limit_reached",
  shared: { redeliveredBatches: 2, deadLetters: 1, deadSpans: 10 },
};
const STORE_USAGE: TraceStoreUsage = {
  traces: 10,
  spans: 100,
  memoryBytes: 5000,
  diskBytes: 7000,
  pendingBytes: 800,
  lateEvaluations: 6,
  evicted: { max_traces: 1, max_bytes: 2, disk_max_bytes: 6, ttl: 3, pruned: 7, span_cap: 4, cleared: 5 },
  unsaved: { disk_full: 1, io_error: 2, thread_died: 3, corrupt_chunk: 4, file_gone: 0 },
  state: "ok",
  rebuildProgress: null,
  reason: null,
  oldestAtMs: null,
};

const IN_FLIGHT: ByteBudgetUsage = {
  limitBytes: 1000,
  bytes: {
    request_bodies: 1,
    answers: 2,
    evicted_traces: 3,
    import_lines: 4,
    export_queue: 5,
    evaluation_queue: 6,
  },
  refused: {
    request_bodies: 7,
    answers: 8,
    evicted_traces: 0,
    import_lines: 0,
    export_queue: 0,
    evaluation_queue: 0,
  },
  cutOff: {
    request_bodies: 9,
    answers: 10,
    evicted_traces: 0,
    import_lines: 0,
    export_queue: 0,
    evaluation_queue: 0,
  },
};

function createTestPipelineMetrics(queueUsage = () => QUEUE_USAGE) {
  return createPipelineMetrics({
    version: "1.2.3",
    queueUsage,
    inFlight: () => IN_FLIGHT,
    storeUsage: () => STORE_USAGE,
    sharedUsage: () => ({
      isAvailable: true,
      alone: { rate_limits: 1, model_calls: 2, sessions: 3, evaluations: 4, live: 5 },
    }),
  });
}

describe("the ledger (contract 4)", () => {
  it("counts spans by outcome, and exposes the counts as metrics", async () => {
    const metrics = createTestPipelineMetrics();
    metrics.received(100);
    metrics.accepted(70);
    metrics.rejected("queue_full", 10);
    metrics.rejected("queue_full", 15);
    metrics.rejected("shutting_down", 5);
    metrics.processed(60);
    metrics.dropped("evicted_oldest", 4);
    metrics.dropped("shutdown", 6);

    expect(metrics.ledger()).toEqual({
      received: 100,
      accepted: 70,
      processed: 60,
      rejected: { queue_full: 25, shutting_down: 5 },
      dropped: { evicted_oldest: 4, shutdown: 6, internal_error: 0, dead_letter: 10 },
    });
    expect((await onlySample(metrics, "obs_spans_received_total")).value).toBe(100);
    expect((await onlySample(metrics, "obs_spans_accepted_total")).value).toBe(70);
    expect((await onlySample(metrics, "obs_spans_processed_total")).value).toBe(60);
    expect(await samplesOf(metrics, "obs_spans_rejected_total")).toMatchObject([
      { labels: { reason: "queue_full" }, value: 25 },
      { labels: { reason: "shutting_down" }, value: 5 },
    ]);
    expect(await samplesOf(metrics, "obs_spans_dropped_total")).toMatchObject([
      { labels: { reason: "evicted_oldest" }, value: 4 },
      { labels: { reason: "shutdown" }, value: 6 },
      { labels: { reason: "internal_error" }, value: 0 },
      { labels: { reason: "dead_letter" }, value: 10 },
    ]);
  });

  it("is a snapshot", () => {
    const metrics = createTestPipelineMetrics();
    const before = metrics.ledger();
    metrics.received(1);
    metrics.dropped("shutdown", 1);
    metrics.rejected("queue_full", 1);
    expect(before).toMatchObject({ received: 0, rejected: {}, dropped: { shutdown: 0 } });
  });
});

describe("pipeline metrics", () => {
  it("contract 4: count requests by route and status, duplicate batches, and invalid values by field", async () => {
    const metrics = createTestPipelineMetrics();
    metrics.httpRequest("/v1/telemetry", 202);
    metrics.httpRequest("/v1/telemetry", 202);
    metrics.httpRequest("/v1/telemetry", 429);
    metrics.duplicateBatch();
    metrics.invalidValue("duration_ms");
    expect(await samplesOf(metrics, "obs_http_requests_total")).toMatchObject([
      { labels: { route: "/v1/telemetry", status: "202" }, value: 2 },
      { labels: { route: "/v1/telemetry", status: "429" }, value: 1 },
    ]);
    expect((await onlySample(metrics, "obs_batches_duplicate_total")).value).toBe(1);
    expect(await onlySample(metrics, "obs_invalid_values_total")).toMatchObject({
      labels: { field: "duration_ms" },
      value: 1,
    });
  });

  it("contract 4: limit the number of routes and fields", async () => {
    const metrics = createTestPipelineMetrics();
    for (let i = 0; i < 1000; i++) {
      metrics.httpRequest(`/${i}`, i);
      metrics.invalidValue(`field-${i}`);
    }
    const requests = await samplesOf(metrics, "obs_http_requests_total");
    const fields = await samplesOf(metrics, "obs_invalid_values_total");
    expect(new Set(requests.map(({ labels }) => labels["route"])).size).toBe(101);
    expect(requests.length).toBeLessThanOrEqual(201);
    expect(requests.reduce((sum, { value }) => sum + value, 0)).toBe(1000);
    expect(fields).toHaveLength(101);
    expect(fields.at(-1)).toMatchObject({ labels: { field: "__other__" }, value: 900 });
  });

  it("spec 3.2: read the queue gauges at each scrape", async () => {
    let usage = QUEUE_USAGE;
    const metrics = createTestPipelineMetrics(() => usage);
    expect((await onlySample(metrics, "obs_queue_size")).value).toBe(40_000);
    expect((await onlySample(metrics, "obs_queue_capacity")).value).toBe(50_000);
    expect((await onlySample(metrics, "obs_queue_usage_pct")).value).toBe(80);
    expect((await onlySample(metrics, "obs_queue_bytes")).value).toBe(1_000_000);
    usage = { ...QUEUE_USAGE, spans: 0 };
    expect((await onlySample(metrics, "obs_queue_size")).value).toBe(0);
  });

  it.each<[PressureLevel, number, number]>([
    ["normal", 0, 0],
    ["soft_limit_reached", 1, 0],
    ["hard_limit_active", 1, 1],
  ])("spec 3.2: at the level %s the soft gauge is %d and the hard one %d", async (level, soft, hard) => {
    const metrics = createTestPipelineMetrics(() => ({ ...QUEUE_USAGE, level }));
    expect((await onlySample(metrics, "obs_backpressure_soft_limit_reached")).value).toBe(soft);
    expect((await onlySample(metrics, "obs_backpressure_hard_limit_active")).value).toBe(hard);
  });

  it("contract 4: expose the contents and evictions of the trace store, unless the store is off", async () => {
    const metrics = createTestPipelineMetrics();
    expect((await onlySample(metrics, "obs_trace_store_traces")).value).toBe(10);
    expect((await onlySample(metrics, "obs_trace_store_spans")).value).toBe(100);
    expect((await onlySample(metrics, "obs_trace_store_bytes")).value).toBe(5000);
    expect(await samplesOf(metrics, "obs_trace_store_evicted_total")).toMatchObject(
      Object.entries(STORE_USAGE.evicted).map(([reason, value]) => ({ labels: { reason }, value })),
    );
    expect((await onlySample(metrics, "obs_trace_store_disk_bytes")).value).toBe(7000);
    expect((await onlySample(metrics, "obs_trace_store_pending_bytes")).value).toBe(800);
    expect(await samplesOf(metrics, "obs_trace_store_unsaved_spans_total")).toMatchObject(
      Object.entries(STORE_USAGE.unsaved).map(([reason, value]) => ({ labels: { reason }, value })),
    );

    const familiesOf = async (storeUsage: (() => TraceStoreUsage) | undefined): Promise<string[]> => {
      const source = createPipelineMetrics({
        version: "1.2.3",
        queueUsage: () => QUEUE_USAGE,
        inFlight: () => IN_FLIGHT,
        storeUsage,
      });
      return [...(await scrape([source])).keys()].filter((name) => name.includes("trace_store"));
    };
    expect(await familiesOf(undefined)).toEqual([]);
    const inMemory = await familiesOf(() => ({ ...STORE_USAGE, diskBytes: null }));
    expect(inMemory.filter((name) => /disk|pending|unsaved/.test(name))).toEqual([]);
    expect(inMemory).toContain("obs_trace_store_evicted_total");
  });

  it("expose what is shared, and how often this collector decided alone", async () => {
    const metrics = createTestPipelineMetrics();
    expect((await onlySample(metrics, "obs_shared_state_available")).value).toBe(1);
    expect(await samplesOf(metrics, "obs_shared_state_missed_total")).toMatchObject([
      { labels: { state: "rate_limits" }, value: 1 },
      { labels: { state: "model_calls" }, value: 2 },
      { labels: { state: "sessions" }, value: 3 },
      { labels: { state: "evaluations" }, value: 4 },
      { labels: { state: "live" }, value: 5 },
    ]);
  });

  it("expose in-flight bytes, refusals and cut-offs by kind", async () => {
    const metrics = createTestPipelineMetrics();
    const byKind = (counts: Readonly<Record<string, number>>) =>
      Object.entries(counts).map(([kind, value]) => ({ labels: { kind }, value }));
    expect(await samplesOf(metrics, "obs_in_flight_bytes")).toMatchObject(byKind(IN_FLIGHT.bytes));
    expect(await samplesOf(metrics, "obs_in_flight_refused_total")).toMatchObject(byKind(IN_FLIGHT.refused));
    expect(await samplesOf(metrics, "obs_in_flight_cut_off_total")).toMatchObject(byKind(IN_FLIGHT.cutOff));
    expect((await onlySample(metrics, "obs_in_flight_limit_bytes")).value).toBe(1000);
  });

  it("contract 4: expose the version of the build and of Node.js", async () => {
    expect(await onlySample(createTestPipelineMetrics(), "obs_build_info")).toMatchObject({
      labels: { version: "1.2.3", node: process.version },
      value: 1,
    });
  });
});

describe("the table of families", () => {
  const objectives = createObjectiveGauges({
    defaultSloErrorRate: 0.01,
    defaultCostBudgetUsd: 0,
    agents: { support: {} },
    maxLabelValueLength: 128,
    seenAgents: () => [],
  });
  const exporting = createExportMetrics(() => 0);
  const evaluation = createEvaluationMetrics({ waiting: () => 0, maxTypes: 20, maxLabelValueLength: 128 });
  const sources = () => [createTestMetrics(), objectives, exporting, evaluation, createTestPipelineMetrics()];

  it("contract 4: lists exactly the exposed families with type and help, except process metrics", async () => {
    const page = await scrape(sources());
    const ours = [...page].filter(([name]) => name.startsWith("obs_"));
    expect(ours.map(([name]) => name).sort()).toEqual(Object.keys(METRIC_FAMILIES).sort());
    for (const [name, { type, help }] of Object.entries(METRIC_FAMILIES)) {
      expect(page.get(name), name).toMatchObject({ type, help });
    }
  });

  it("OpenMetrics 1.0: has the name of every family, for counters with _total removed", async () => {
    const page = await scrape(sources(), "openmetrics");
    for (const [name, { type }] of Object.entries(METRIC_FAMILIES)) {
      expect(page.get(type === "counter" ? name.replace(/_total$/, "") : name), name).toBeDefined();
    }
  });
});
