import type { LiveStatus, TraceSummary } from "@obspan/collector-core";
import { expect, test } from "vitest";
import { createRunWatch, type CollectorSnapshot } from "../../src/main/run-watch.js";
import { costlyRunsText, failedRunsText } from "../../src/main/notification-text.js";
import { menuLabel, trayIconFile, trayView } from "../../src/main/tray-view.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");

function status(fields: Partial<LiveStatus> = {}): LiveStatus {
  return {
    version: "1",
    started_at: new Date(NOW).toISOString(),
    uptime_seconds: 1,
    ready: true,
    reasons: [],
    spans_per_second: 0,
    queue_pct: 0,
    queue_spans: 0,
    queue_capacity: 1,
    ledger: { received: 0, accepted: 0, processed: 0, queued: 0, in_flight: 0, rejected: {}, dropped: {} },
    store: null,
    ...fields,
  };
}

function run(traceId: string, fields: Partial<TraceSummary> = {}): TraceSummary {
  const start = { start_time: new Date(NOW + 1000).toISOString(), duration_ms: 5 };
  return {
    trace_id: traceId,
    tenant: "",
    root_name: traceId,
    error_type: null,
    cost_usd: 0,
    ...start,
    ...fields,
  } as TraceSummary;
}

function watch(costLimitUsd: number | null = null) {
  let processed = 0;
  let reasons: string[] = [];
  let failed: readonly TraceSummary[] = [];
  let costly: readonly TraceSummary[] = [];
  const asked: string[] = [];
  const told: string[] = [];
  const snapshots: CollectorSnapshot[] = [];
  const runs = createRunWatch({
    collector: {
      isPaused: false,
      status: () => status({ reasons, ledger: { ...status().ledger, processed } }),
      listTraces: (query) => {
        asked.push(query.status ?? query.query ?? "");
        return Promise.resolve({ traces: query.status === undefined ? costly : failed, nextCursor: null });
      },
    },
    costLimitUsd: () => costLimitUsd,
    now: () => NOW,
    onStatus: (snapshot) => snapshots.push(snapshot),
    onFailed: (found) => told.push(`failed ${found.map((each) => each.trace_id).join(" ")}`),
    onCostly: (found, limit) => told.push(`over ${limit} ${found.map((each) => each.trace_id).join(" ")}`),
    onError: (error) => told.push(String(error)),
  });
  return {
    asked,
    told,
    snapshots,
    tick: () => runs.tick(),
    stopping: () => (reasons = ["shutting_down"]),
    arrive(changes: { failed?: readonly TraceSummary[]; costly?: readonly TraceSummary[] }) {
      processed++;
      failed = changes.failed ?? failed;
      costly = changes.costly ?? costly;
    },
  };
}

test("a run that fails is told once, and an idle collector is asked nothing", async () => {
  const { asked, told, snapshots, tick, arrive } = watch();
  await tick();
  arrive({ failed: [run("b"), run("a")] });
  for (let count = 0; count < 4; count++) await tick();
  expect(told).toEqual(["failed b a"]);
  expect(asked).toEqual(["ERROR", "ERROR"]);
  expect(snapshots.at(-1)?.failedRuns.map((each) => each.trace_id)).toEqual(["b", "a"]);
  arrive({ failed: [run("c"), run("b")] });
  for (let count = 0; count < 4; count++) await tick();
  expect(told).toEqual(["failed b a", "failed c"]);
});

test("runs that ended before the start are shown and not told, and a stop asks nothing", async () => {
  const { asked, told, snapshots, tick, arrive, stopping } = watch();
  arrive({ failed: [run("old", { start_time: new Date(NOW - 60_000).toISOString() })] });
  await tick();
  expect(told).toEqual([]);
  expect(snapshots[0]?.failedRuns).toHaveLength(1);
  stopping();
  arrive({});
  for (let count = 0; count < 4; count++) await tick();
  expect(asked).toHaveLength(1);
});

test("a run over the limit of cost is told once, with the limit", async () => {
  const { asked, told, tick, arrive } = watch(5);
  arrive({ costly: [run("dear")] });
  for (let count = 0; count < 3; count++) await tick();
  arrive({});
  for (let count = 0; count < 3; count++) await tick();
  expect(told).toEqual(["over 5 dear"]);
  expect(asked).toEqual(["ERROR", "cost:>5", "ERROR", "cost:>5"]);
});

test("one run is named in its notification, several are counted", () => {
  expect(
    failedRunsText([run("a b", { root_name: "plan\ntrip", error_type: "timeout", tenant: "t" })]),
  ).toEqual({
    title: "A run failed",
    body: "plan trip (timeout)",
    path: "/traces/a%20b?tenant=t",
  });
  expect(failedRunsText([run("a"), run("b"), run("a"), run("c"), run("d")])).toEqual({
    title: "5 runs failed",
    body: "a, b, c, …",
    path: "/traces",
  });
  expect(costlyRunsText([run("..", { cost_usd: 7.123 })], 5)).toEqual({
    title: "A run cost over $5",
    body: "..: $7.12",
    path: "/traces/by-id?trace_id=..",
  });
  expect(costlyRunsText([run("a", { cost_usd: 7.123, cost_source: "computed" })], 5).body).toBe("a: ≈ $7.12");
});

test("the icon shows trouble before a pause, and a pause before the rate", () => {
  const view = (fields: Partial<LiveStatus>, isPaused = false) =>
    trayView({ status: status(fields), isPaused, failedRuns: [] });
  expect(view({})).toEqual({ state: "idle", line: "Listening", toolTip: "Obspan: Listening" });
  expect(view({ spans_per_second: 1234.5 })).toMatchObject({
    state: "receiving",
    line: "Receiving 1,235 spans/s",
  });
  expect(view({ spans_per_second: 9, reasons: ["paused"] }, true)).toMatchObject({ state: "paused" });
  expect(view({ reasons: ["queue_pct=97% >= hard_limit=95%", "paused"] }, true)).toMatchObject({
    state: "error",
    line: "Spans are refused: queue_pct=97% >= hard_limit=95%",
  });
  expect(view({ reasons: ["shutting_down"], queue_spans: 1200 }).line).toBe("Finishing 1,200 spans");
});

test("each platform gets its kind of icon, and a name cannot mark a shortcut", () => {
  expect(trayIconFile("error", "darwin")).toBe("errorTemplate.png");
  expect(trayIconFile("error", "win32")).toBe("error.ico");
  expect(trayIconFile("error", "linux")).toBe("error.png");
  expect(menuLabel("a & b\nc")).toBe("a && b c");
  expect(menuLabel("x".repeat(100))).toHaveLength(60);
});
