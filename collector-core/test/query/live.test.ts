import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LiveStatus } from "../../src/api-schema/live.js";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import { LiveChanges } from "../../src/query/live-changes.js";
import { span, startCollector } from "../running-collector.js";
import { listen } from "./live-reader.js";

describe("contract 3: GET /v1/live", () => {
  it("sends the status on connect and then every second", async () => {
    const { url, post, settled } = await startCollector();
    const { response, next } = await listen(url);
    expect(response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    const first = await next<LiveStatus>("status");
    expect(first.data).toMatchObject({
      version: "0.0.0-test",
      ready: true,
      queue_pct: 0,
      store: { traces: 0 },
    });
    await post({ spans: [span(), span()] });
    await settled();
    const { data } = await next<LiveStatus>("status", ({ ledger }) => ledger.received === 2);
    expect(data.ledger).toMatchObject({ accepted: 2, processed: 2, queued: 0, in_flight: 0 });
    await next<LiveStatus>("status", ({ spans_per_second }) => spans_per_second > 0);
  });

  it("sends how much the trace store keeps, since when and within which limits", async () => {
    const { url, post, settled } = await startCollector({ TRACE_STORE_TTL_SECONDS: "3600" });
    const { next } = await listen(url);
    const { data: empty } = await next<LiveStatus>("status");
    expect(empty.store).toMatchObject({ oldest_at: null, ttl_seconds: 3600, unsaved_spans: 0 });
    // In memory.
    expect(empty.store).toMatchObject({ disk_bytes: null, disk_max_bytes: null, state: "ok", reason: null });
    await post({ spans: [span()] });
    await settled();
    const { data } = await next<LiveStatus>("status", ({ store }) => store?.traces === 1);
    expect(Number.isNaN(Date.parse(String(data.store?.oldest_at)))).toBe(false);
  });

  it("tells with the connection for how long nothing has changed", async () => {
    const { url, post, settled } = await startCollector();
    const unchangedMs = async (): Promise<number> => {
      const { next, response } = await listen(url);
      const { data } = await next<LiveStatus>("status");
      response.destroy();
      return data.unchanged_ms ?? Number.NaN;
    };
    const first = await unchangedMs();
    const since = performance.now();
    await post({ spans: [span()] });
    await settled();
    const afterwards = await unchangedMs();
    expect(first).toBeGreaterThanOrEqual(0);
    expect(afterwards).toBeLessThanOrEqual(performance.now() - since);
    await expect.poll(unchangedMs).toBeGreaterThan(afterwards);
    const deleted = performance.now();
    await fetch(`${url}/v1/traces/t1`, { method: "DELETE" });
    expect(await unchangedMs()).toBeLessThanOrEqual(performance.now() - deleted);
  });

  it("sends the summary of a new or changed trace and merges changes", async () => {
    const { url, post, settled } = await startCollector();
    const { events, next } = await listen(url);
    for (let count = 0; count < 5; count++) await post({ spans: [span()] });
    await settled();
    await next<TraceSummary>("trace", ({ span_count }) => span_count === 5);
    expect(events.filter(({ event }) => event === "trace").length).toBeLessThan(5);
    await post({ spans: [span({ status: "ERROR" })] });
    const changed = await next<TraceSummary>("trace", ({ error_count }) => error_count === 1);
    expect(changed.data).toMatchObject({ trace_id: "t1", span_count: 6 });
  });

  it("resumes after Last-Event-ID with the missed events", async () => {
    const { url, post, settled } = await startCollector();
    const first = await listen(url);
    await post({ spans: [span({ trace_id: "seen" })] });
    const { id } = await first.next<TraceSummary>("trace");
    first.response.destroy();
    await post({ spans: [span({ trace_id: "missed" })] });
    await settled();
    const second = await listen(url, id);
    const { data } = await second.next<TraceSummary>("trace");
    expect(data.trace_id).toBe("missed");
  });

  it("sends each reader exactly the events that it missed", async () => {
    const { url, post, settled } = await startCollector();
    const watching = await listen(url);
    const ids: (string | undefined)[] = [];
    for (const traceId of ["a", "b", "c", "a"]) {
      const seen = watching.events.length;
      await post({ spans: [span({ trace_id: traceId })] });
      await settled();
      const isChanged = ({ trace_id }: TraceSummary) => trace_id === traceId;
      ids.push((await watching.next<TraceSummary>("trace", isChanged, seen)).id);
    }
    const readers = await Promise.all(ids.slice(0, 3).map((id) => listen(url, id)));
    for (const { next } of readers) await next<TraceSummary>("trace", ({ trace_id }) => trace_id === "a");
    const missed = readers.map(({ events }) =>
      events
        .filter(({ event }) => event === "trace")
        .map(({ data, id }) => [(data as TraceSummary).trace_id, id]),
    );
    const last = ["a", ids[3]];
    const none = undefined;
    expect(missed).toEqual([[["b", none], ["c", none], last], [["c", none], last], [last]]);
  });

  it("sends reset to a reader of an earlier run", async () => {
    const { url } = await startCollector();
    const { next } = await listen(url, "feedbeef-3");
    expect((await next<{ reason: string }>("reset")).data).toEqual({ reason: "gap" });
  });

  it("sends reset when traces are deleted or too many changed at once", async () => {
    const { url, post } = await startCollector();
    const { next } = await listen(url);
    await fetch(`${url}/v1/traces`, { method: "DELETE" });
    await next<{ reason: string }>("reset", ({ reason }) => reason === "cleared");
    await post({ spans: Array.from({ length: 400 }, (_, index) => span({ trace_id: `t${index}` })) });
    await next<{ reason: string }>("reset", ({ reason }) => reason === "burst");
  });

  it("sends only status and metrics when the trace store is off", async () => {
    const { url, post, settled } = await startCollector({ TRACE_STORE_ENABLED: "false" });
    const { events, next } = await listen(url);
    await post({ spans: [span()] });
    await settled();
    await next<LiveStatus>("status", ({ ledger, store }) => ledger.processed === 1 && store === null);
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["status", "metrics"]));
  });

  it("ends when the collector stops", async () => {
    const { url, collector } = await startCollector();
    const { response } = await listen(url);
    const ended = new Promise((resolve) => response.once("end", resolve));
    await collector.stop();
    await ended;
  });
});

describe("changes since a reader's last update", () => {
  const keys = (...ids: string[]) => ids.map((traceId) => ({ tenant: "", traceId }));

  function changesOf(...steps: string[][]): LiveChanges {
    const changes = new LiveChanges({ maxTracesPerStep: 3, maxSteps: 3 });
    for (const step of steps) {
      for (const key of keys(...step)) changes.add(key);
      changes.endStep();
    }
    return changes;
  }

  it("contain each trace once", () => {
    expect(changesOf(["a"], ["b", "a"], ["a"]).since(1)).toEqual({ type: "traces", keys: keys("b", "a") });
    expect(changesOf(["a"]).since(1)).toEqual({ type: "traces", keys: [] });
  });

  it("are a reset after a gap and for an unknown step", () => {
    const changes = changesOf(["a"], ["b"], ["c"], ["d"]);
    expect(changes.since(0)).toEqual({ type: "reset", reason: "gap" });
    expect(changes.since(1)).toMatchObject({ type: "traces" });
    expect(changes.since(-1)).toEqual({ type: "reset", reason: "gap" });
    expect(changes.since(9)).toEqual({ type: "reset", reason: "gap" });
  });

  it("are a reset after a burst in one step or in merged steps", () => {
    expect(changesOf(["a", "b", "c", "d"]).since(0)).toEqual({ type: "reset", reason: "burst" });
    expect(changesOf(["a", "b"], ["c", "d"]).since(0)).toEqual({ type: "reset", reason: "burst" });
  });

  it("are for one reader a suffix of those for a reader further behind", () => {
    const step = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const changes = changesOf(...steps);
        for (let after = Math.max(0, steps.length - 3); after <= steps.length; after++) {
          const missed = steps.slice(after);
          const traces = new Set(missed.flat());
          if (missed.some((each) => new Set(each).size > 3) || traces.size > 3) {
            expect(changes.since(after)).toEqual({ type: "reset", reason: "burst" });
            continue;
          }
          const found = changes.since(after);
          if (found.type === "reset") throw new Error(found.reason);
          expect(new Set(found.keys.map(({ traceId }) => traceId))).toEqual(traces);
          expect(found.keys).toHaveLength(traces.size);
          const before = after === 0 ? found : changes.since(after - 1);
          if (before.type === "traces")
            expect(before.keys.slice(before.keys.length - traces.size)).toEqual(found.keys);
        }
      }),
    );
  });

  const traceOf = (tenant: string, index: number) => ({ tenant, traceId: `${tenant}${index}` });

  it("contain the traces of a tenant during bursts of others", () => {
    const changes = changesOf();
    for (let step = 1; step <= 3; step++) {
      changes.add(traceOf("a", step));
      for (let index = 0; index < 1000; index++) changes.add(traceOf("b", index));
      changes.endStep();
    }
    expect(changes.since(1, "a")).toEqual({ type: "traces", keys: [traceOf("a", 2), traceOf("a", 3)] });
    expect(changes.since(1, "c")).toEqual({ type: "traces", keys: [] });
    expect(changes.since(1, "b")).toEqual({ type: "reset", reason: "burst" });
    expect(changes.since(1)).toEqual({ type: "reset", reason: "burst" });
  });

  it("are a reset when too many tenants have changes in one step or in earlier ones", () => {
    const changes = changesOf();
    const changeOf = (tenants: number): void => {
      for (let tenant = 0; tenant < tenants; tenant++) changes.add(traceOf(`${tenant}.`, 1));
      changes.endStep();
    };
    changeOf(100_000);
    expect(changes.since(0, "0.")).toEqual({ type: "reset", reason: "burst" });
    changeOf(5);
    expect(changes.since(1, "0.")).toMatchObject({ type: "traces" });
    changeOf(5);
    expect(changes.since(1, "0.")).toEqual({ type: "reset", reason: "gap" });
    expect(changes.since(2, "0.")).toMatchObject({ type: "traces" });
  });

  it("have no step when nothing changed", () => {
    const changes = changesOf([], ["a"], []);
    expect(changes.lastStep).toBe(1);
  });
});
