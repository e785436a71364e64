import { describe, expect, it } from "vitest";
import type { LiveMetrics, Stats } from "../../src/api-schema/stats.js";
import type { Clock } from "../../src/runtime/clock.js";
import { countTurns, everLater } from "../runtime/loop-turns.js";
import { listen } from "./live-reader.js";
import { errorOf, span, startCollector } from "../running-collector.js";

/** A clock that stands still at a whole hour until it is moved. */
function handClock(): Clock & { advance(seconds: number): void; jumpWall(seconds: number): void } {
  let wallMs = Date.UTC(2026, 10, 21, 12);
  let monotonicMs = 5000;
  return {
    now: () => wallMs,
    monotonic: () => monotonicMs,
    advance(seconds) {
      wallMs += seconds * 1000;
      monotonicMs += seconds * 1000;
    },
    jumpWall: (seconds) => void (wallMs += seconds * 1000),
  };
}

async function start(settings: Record<string, string> = {}) {
  const clock = handClock();
  const running = await startCollector(settings, { clock });
  return {
    ...running,
    clock,
    stats: (query = "") => running.get<Stats>(`/v1/stats${query}`),
    async send(spans: Record<string, unknown>[], batch: Record<string, unknown> = {}) {
      await running.post({ ...batch, spans });
      await running.settled();
    },
  };
}

function call(attributes: Record<string, unknown> = {}, fields: Record<string, unknown> = {}) {
  return span({ span_type: "llm", duration_ms: 200, attributes: { model: "m1", ...attributes }, ...fields });
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

type Percentiles = Stats["total"]["window"]["duration_ms"];

function expectWithin2Percent(actual: Percentiles, exact: Readonly<Record<keyof Percentiles, number>>): void {
  for (const name of ["p50", "p95", "p99"] as const) {
    expect(Math.abs((actual[name] ?? NaN) - exact[name]), name).toBeLessThanOrEqual(0.02 * exact[name]);
  }
}

describe("contract 3: GET /v1/stats", () => {
  it("returns points aligned to steps, the last one incomplete", async () => {
    const { stats, send, clock } = await start();
    clock.advance(3);
    await send([call(), call()]);
    clock.advance(10);
    await send([call()]);
    const { total, ...answer } = await stats("?window=5m");
    expect(answer).toMatchObject({
      window_seconds: 300,
      step_seconds: 10,
      points: 30,
      group_by: null,
      groups: [],
    });
    expect(answer.start).toBe("2026-11-21T11:55:20.000Z");
    expect(answer.end).toBe("2026-11-21T12:00:13.000Z");
    expect(answer.kept_since).toBe("2026-11-21T12:00:00.000Z");
    expect(total.series.calls.slice(-3)).toEqual([0, 2, 1]);
    expect(total.window.calls).toBe(3);
  });

  it("counts spans of unsampled traces, but not running spans", async () => {
    const { stats, send, get } = await start({ SAMPLING_RATE: "0" });
    await send([call(), call({}, { status: "RUNNING" })]);
    expect((await stats()).total.window).toMatchObject({ spans: 1, calls: 1 });
    expect(await get("/v1/traces")).toMatchObject({ traces: [] });
  });

  it("returns percentiles within 2 %, whatever the buckets of /metrics are", async () => {
    const { stats, send } = await start({ HISTOGRAMS_DURATION_BUCKETS: "0.1,0.5,1" });
    const durations = [50, 60, 200, 300, 400, 450, 600, 700, 2000, 3000];
    await send(durations.map((duration_ms) => call({ ttft_ms: 50 }, { duration_ms })));
    const { duration_ms, ttft_ms } = (await stats()).total.window;
    expectWithin2Percent(duration_ms, { p50: 400, p95: 3000, p99: 3000 });
    expect(ttft_ms).toEqual({ p50: 50, p95: 50, p99: 50 });
  });

  it.each([0, 0.000_05, 0.004, 9.9996, 640, 123_456.789, 1e9])(
    "returns %s ms as every percentile of one call of that time",
    async (ms) => {
      const { stats, send } = await start();
      await send([call({ ttft_ms: ms }, { duration_ms: ms })]);
      const { total, groups } = await stats("?window=5m&group_by=model");
      for (const { window, series } of [total, ...groups]) {
        for (const percentiles of [window.duration_ms, window.ttft_ms]) {
          expectWithin2Percent(percentiles, { p50: ms, p95: ms, p99: ms });
        }
        expect(series.duration_ms.p95.slice(-2)).toEqual([null, window.duration_ms.p95]);
      }
    },
  );

  it("merges the percentiles of label sets, steps and minutes exactly", async () => {
    const { stats, send, clock } = await start();
    for (let step = 0; step < 10; step++) {
      const durations = Array.from({ length: 10 }, (_, index) => 10 * (10 * step + index + 1));
      await send(
        durations.map((duration_ms, index) => call({ agent: `agent ${index % 3}` }, { duration_ms })),
      );
      clock.advance(10);
    }
    for (const query of ["?window=5m&step=10", "?window=5m&step=60", "?window=24h", "?window=5m&model=m1"]) {
      expectWithin2Percent((await stats(query)).total.window.duration_ms, { p50: 500, p95: 950, p99: 990 });
    }
  });

  it("sums tokens, cost, errors by category and speed as the metrics do", async () => {
    const { stats, send } = await start();
    await send([
      call({ tokens_input: 100, tokens_cached: 60, tokens_output: 40, cost_usd: 0.01 }, { duration_ms: 500 }),
      call(
        { tokens_input: 20, tokens_output: 10, cost_usd: 0.02, error_type: "RateLimitError" },
        { status: "ERROR" },
      ),
      span({
        span_type: "tool",
        status: "ERROR",
        attributes: { tool_name: "search", error_type: "timeout" },
      }),
      span({
        span_type: "agent",
        status: "ERROR",
        error_propagated: true,
        attributes: { error_type: "timeout" },
      }),
    ]);
    expect((await stats()).total.window).toMatchObject({
      spans: 4,
      calls: 2,
      call_errors: 1,
      tool_calls: 1,
      tool_errors: 1,
      errors: { rate_limit: 1, timeout: 1 },
      tokens_input: 120,
      tokens_cached: 60,
      tokens_output: 50,
      cost_usd: 0.03,
      tokens_per_second: 71.429,
    });
  });

  it("groups by a label, busiest first, and merges the rest", async () => {
    const { stats, send } = await start();
    await send(["a", "a", "a", "b", "b", "c"].map((model) => call({ model })));
    await send([span({ span_type: "tool", attributes: { tool_name: "search" } })]);
    const { groups, merged_groups } = await stats("?group_by=model&groups=2");
    expect(groups.map(({ value, window }) => [value, window.calls])).toEqual([
      ["a", 3],
      ["b", 2],
      ["__other__", 1],
    ]);
    expect(merged_groups).toBe(2);
    const byTool = await stats("?group_by=tool&span_type=tool");
    expect(byTool.groups.map(({ value, window }) => [value, window.tool_calls])).toEqual([["search", 1]]);
  });

  it("filters by every label; an empty value matches spans without it", async () => {
    const { stats, send } = await start();
    await send([call({ agent: "x" }), call()], { service: "shop", env: "production" });
    await send([call({ agent: "x" })], { service: "mail" });
    const calls = async (query: string) => (await stats(query)).total.window.calls;
    expect(await calls("?agent=x")).toBe(2);
    expect(await calls("?agent=")).toBe(1);
    expect(await calls("?agent=x&service=shop&env=production")).toBe(1);
    expect(await calls("?service=nobody")).toBe(0);
  });

  it("filters scores by evaluation type, model and agent", async () => {
    const { stats, send } = await start();
    const evaluation = (type: string, evaluation_score: number) =>
      span({ span_type: "evaluation", attributes: { model: "m1", evaluation_type: type, evaluation_score } });
    await send([
      evaluation("relevance", 0.5),
      evaluation("relevance", 1),
      evaluation("criteria:be polite", 0.25),
    ]);
    const { groups } = await stats("?group_by=evaluation_type&model=m1");
    const scored = groups.filter(({ window }) => window.scores > 0);
    expect(scored.map(({ value, window }) => [value, window.scores, window.score_mean])).toEqual([
      ["relevance", 2, 0.75],
      ["criteria", 1, 0.25],
    ]);
  });

  it("keeps an hour in steps of 10 s and a day in minutes", async () => {
    const { stats, send, clock } = await start();
    await send([call()]);
    clock.advance(50 * 60);
    await send([call()]);
    expect((await stats("?window=1h&step=10")).total.window.calls).toBe(2);
    clock.advance(20 * 60);
    await send([call()]);
    expect((await stats("?window=1h&step=10")).total.window.calls).toBe(2);
    expect((await stats("?window=1h")).total.window.calls).toBe(2);
    const { total, step_seconds } = await stats("?window=24h");
    expect(step_seconds).toBe(1200);
    expect(sum(total.series.calls)).toBe(3);
    clock.advance(23 * 3600);
    expect((await stats("?window=24h")).total.window.calls).toBe(2);
    clock.advance(3600);
    expect((await stats("?window=24h")).total.window.calls).toBe(0);
  });

  it("keeps the age of records when the wall clock jumps back, and leaves a gap when it jumps ahead", async () => {
    const { stats, send, clock } = await start();
    await send([call()]);
    clock.jumpWall(-3600);
    clock.advance(30);
    const back = await stats("?window=5m");
    expect(back.end).toBe("2026-11-21T11:00:30.000Z");
    expect(back.total.series.calls.at(-4)).toBe(1);
    clock.jumpWall(3600 + 600);
    const ahead = await stats("?window=15m");
    expect(ahead.end).toBe("2026-11-21T12:10:30.000Z");
    expect(ahead.total.window.calls).toBe(1);
  });

  it("yields to the event loop while it sums many labels", async () => {
    const running = await startCollector({}, { clock: everLater() });
    await running.post({
      spans: Array.from({ length: 50 }, (_, index) => call({ agent: `agent ${index}` })),
    });
    await running.settled();
    await running.get("/v1/stats");
    const turns = countTurns();
    const { groups } = await running.get<Stats>("/v1/stats?window=1h&step=10&group_by=agent&groups=50");
    expect(groups).toHaveLength(50);
    expect(turns.end()).toBeGreaterThanOrEqual(360);
  });

  it("returns the pipeline counters over the same points", async () => {
    const { stats, send, post, clock } = await start({ SAMPLING_RATE: "0" });
    await send([call()]);
    await stats(); // They are read once a second, and whenever somebody asks.
    clock.advance(10);
    await post({ spans: [{ name: "no trace id" }] });
    const { pipeline } = await stats("?window=5m");
    const series = (name: string) => pipeline.find((each) => each.name === name);
    expect(series("obs_spans_received_total")?.total).toBe(2);
    expect(series("obs_spans_received_total")?.values.slice(-1)).toEqual([1]);
    expect(series("obs_spans_rejected_total")).toMatchObject({
      labels: { reason: "invalid_span" },
      total: 1,
    });
    expect(pipeline).toContainEqual(
      expect.objectContaining({
        name: "obs_sampling_spans_total",
        labels: { decision: "not_kept" },
        total: 1,
      }),
    );
    clock.advance(3600);
    expect(
      (await stats("?window=5m")).pipeline.find(({ name }) => name === "obs_spans_received_total"),
    ).toBeUndefined();
  });

  it.each([
    ["window=25h", "24 h"],
    ["window=5 minutes", "window must be a number of seconds"],
    ["window=2h&step=10", "multiple of 60 s"],
    ["window=1h&step=15", "multiple of 10 s"],
    ["window=5m&step=10m", "no longer than the window"],
    ["group_by=weather", "group_by"],
    ["groups=0", "groups"],
    ["modle=x", "modle"],
  ])("refuses ?%s in words", async (query, words) => {
    const { url } = await start();
    const error = await errorOf(await fetch(`${url}/v1/stats?${query}`));
    expect(error).toMatchObject({ status: 400, code: "invalid_query" });
    expect(error.message).toContain(words);
  });

  it("is sent as the event metrics of GET /v1/live, also when the trace store is off", async () => {
    const { url, send } = await start({ TRACE_STORE_ENABLED: "false" });
    const { next } = await listen(url);
    await send([call()]);
    const { data } = await next<LiveMetrics>("metrics", ({ total }) => total.calls === 1);
    expect(data).toMatchObject({ step_seconds: 10, elapsed_seconds: 0, start: "2026-11-21T12:00:00.000Z" });
    expect(data.pipeline).toContainEqual({
      name: "obs_spans_processed_total",
      labels: {},
      type: "counter",
      value: 1,
    });
  });
});
