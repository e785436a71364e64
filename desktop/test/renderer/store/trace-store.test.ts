import type { NormalizedSpan, TraceDetail, TraceSummary } from "@obspan/collector-core/api-schema";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CollectorError, type CollectorApi, type TraceKey } from "../../../src/renderer/api/collector-api.js";
import { createTraceStore } from "../../../src/renderer/store/trace-store.js";
import { newSpan } from "../features/trace/spans.js";

const named = (traceId: string, tenant?: string) => ({ traceId, tenant });

const CUT = { truncated: true, bytes: 9000, preview: "Once" } as never;

function detailOf(spans: NormalizedSpan[], traceId = "t", tenant = ""): TraceDetail {
  return { trace: { trace_id: traceId, tenant, root_name: "run" } as TraceSummary, spans };
}

function setUp(answer: (key: TraceKey) => Promise<TraceDetail>, listed: readonly TraceSummary[] = []) {
  const getTrace = vi.fn<(key: TraceKey) => Promise<TraceDetail>>(answer);
  const getSpan = vi.fn(async (_key: TraceKey, spanId: string) =>
    newSpan(spanId, null, 0, 1, { attributes: { text: "Once upon a time" } }),
  );
  const listTraces = vi.fn(async () => ({ traces: [...listed], next_cursor: null }));
  const api = { getTrace, getSpan, listTraces } as unknown as CollectorApi;
  return { getTrace, getSpan, listTraces, store: createTraceStore(api) };
}

const changed = (traceId: string, tenant = "") =>
  ({ type: "trace", data: { trace_id: traceId, tenant } as TraceSummary }) as const;

describe("the trace store", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("opens a trace, or reports why it cannot", async () => {
    const { store, getTrace } = setUp(async () => detailOf([newSpan("a", null, 0, 1)]));
    await store.getState().open(named("t"));
    expect(store.getState()).toMatchObject({ phase: "ready", traceId: "t", error: undefined });
    getTrace.mockRejectedValueOnce(new CollectorError("trace_not_found", "gone"));
    await store.getState().open(named("u"));
    expect(store.getState()).toMatchObject({
      phase: "error",
      trace: undefined,
      error: { code: "trace_not_found" },
    });
  });

  it("sends one request for a trace that the list opens and then its page", async () => {
    const { store, getTrace } = setUp(async () => detailOf([newSpan("a", null, 0, 1)]));
    const asked = store.getState().open(named("t"));
    await store.getState().open(named("t"));
    await asked;
    expect(getTrace).toHaveBeenCalledTimes(1);
    await store.getState().open(named("t"));
    expect(getTrace).toHaveBeenCalledTimes(2);
    const other = store.getState().open(named("u"));
    await store.getState().open(named("t"));
    await other;
    expect(store.getState()).toMatchObject({ traceId: "t", phase: "ready" });
  });

  it("keeps the trace while the collector is away", async () => {
    const { store, getTrace } = setUp(async () => detailOf([newSpan("a", null, 0, 1)]));
    await store.getState().open(named("t"));
    getTrace.mockRejectedValueOnce(new CollectorError("unreachable", "no answer"));
    await store.getState().refresh();
    expect(store.getState()).toMatchObject({ phase: "ready", error: { code: "unreachable" } });
    expect(store.getState().spans).toHaveLength(1);
    await store.getState().refresh();
    expect(store.getState().error).toBeUndefined();
  });

  it("refreshes when its trace changes, once for many changes, and not for other traces", async () => {
    const { store, getTrace } = setUp(async () => detailOf([newSpan("a", null, 0, 1)]));
    await store.getState().open(named("t"));
    store.getState().onLive(changed("other"));
    await vi.advanceTimersByTimeAsync(2000);
    expect(getTrace).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 20; i++) store.getState().onLive(changed("t"));
    await vi.advanceTimersByTimeAsync(2000);
    expect(getTrace).toHaveBeenCalledTimes(2);
    store.getState().onLive({ type: "reset", data: { reason: "gap" } });
    await vi.advanceTimersByTimeAsync(2000);
    expect(getTrace).toHaveBeenCalledTimes(3);
  });

  it("refreshes the open trace after a reconnect", async () => {
    const { store, getTrace } = setUp(async () => detailOf([newSpan("a", null, 0, 1)]));
    store.getState().onConnected(0);
    expect(getTrace).not.toHaveBeenCalled();
    await store.getState().open(named("t"));
    store.getState().onConnected(0);
    await vi.advanceTimersByTimeAsync(0);
    expect(getTrace).toHaveBeenCalledTimes(2);
  });

  it("waits for the current answer before it asks again", async () => {
    let answer: ((detail: TraceDetail) => void) | undefined;
    const { store, getTrace } = setUp(() => new Promise((resolve) => (answer = resolve)));
    const opened = store.getState().open(named("t"));
    store.getState().onLive(changed("t"));
    await vi.advanceTimersByTimeAsync(3000);
    expect(getTrace).toHaveBeenCalledTimes(1);
    answer?.(detailOf([newSpan("a", null, 0, 1)]));
    await opened;
    await vi.advanceTimersByTimeAsync(1000);
    expect(getTrace).toHaveBeenCalledTimes(2);
  });

  it("keeps the objects of spans that did not change", async () => {
    let second = newSpan("b", "a", 1, null);
    const { store } = setUp(async () => structuredClone(detailOf([newSpan("a", null, 0, 9), second])));
    await store.getState().open(named("t"));
    const before = store.getState().spans;
    await store.getState().refresh();
    expect(store.getState().spans).toBe(before);
    second = newSpan("b", "a", 1, 5);
    await store.getState().refresh();
    expect(store.getState().spans[0]).toBe(before[0]);
    expect(store.getState().spans[1]).not.toBe(before[1]);
  });

  it("loads a full span once, and discards it when the span changes", async () => {
    let durationMs = 1;
    const { store, getSpan } = setUp(async () =>
      detailOf([newSpan("a", null, 0, durationMs, { attributes: { text: CUT } })]),
    );
    await store.getState().open(named("t"));
    await Promise.all([store.getState().loadWhole("a"), store.getState().loadWhole("a")]);
    expect(getSpan).toHaveBeenCalledTimes(1);
    expect(store.getState().whole["a"]?.attributes["text"]).toBe("Once upon a time");
    expect(store.getState().loadingWhole.size).toBe(0);
    await store.getState().refresh();
    expect(store.getState().whole).toHaveProperty("a");
    durationMs = 2;
    await store.getState().refresh();
    expect(store.getState().whole).not.toHaveProperty("a");
  });

  it("reports why a full span could not be loaded, and retries on request", async () => {
    const { store, getSpan } = setUp(async () => detailOf([newSpan("a", null, 0, 1)]));
    await store.getState().open(named("t"));
    getSpan.mockRejectedValueOnce(new CollectorError("unreachable", "no answer"));
    await store.getState().loadWhole("a");
    expect(store.getState().wholeErrors["a"]?.message).toBe("no answer");
    await store.getState().loadWhole("a");
    expect(store.getState().wholeErrors).toEqual({});
    expect(store.getState().whole).toHaveProperty("a");
  });
});

describe("contract 3: two tenants' equal ids are two traces", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const setUpTenants = () =>
    setUp(async ({ traceId, tenant = "newest" }) => detailOf([newSpan(tenant, null, 0, 1)], traceId, tenant));

  it("opens the trace of one tenant, then that of the other", async () => {
    const { store, getTrace, getSpan } = setUpTenants();
    await store.getState().open(named("t", "acme"));
    expect(store.getState().trace?.tenant).toBe("acme");
    const opening = store.getState().open(named("t", "globex"));
    expect(store.getState()).toMatchObject({ phase: "loading", trace: undefined });
    await opening;
    expect(store.getState().spans.map(({ span_id }) => span_id)).toEqual(["globex"]);
    expect(getTrace.mock.calls.map(([key]) => key)).toEqual([named("t", "acme"), named("t", "globex")]);
    await store.getState().loadWhole("globex");
    expect(getSpan).toHaveBeenCalledWith(named("t", "globex"), "globex");
  });

  it("refreshes only for changes of its own tenant", async () => {
    const { store, getTrace } = setUpTenants();
    await store.getState().open(named("t", "acme"));
    store.getState().onLive(changed("t", "globex"));
    await vi.advanceTimersByTimeAsync(2000);
    expect(getTrace).toHaveBeenCalledTimes(1);
    store.getState().onLive(changed("t", "acme"));
    await vi.advanceTimersByTimeAsync(2000);
    expect(getTrace).toHaveBeenCalledTimes(2);
  });

  it("keeps the tenant that the collector named if the link did not", async () => {
    const { store, getTrace } = setUpTenants();
    await store.getState().open(named("t"));
    expect(store.getState().tenant).toBe("newest");
    const before = store.getState().spans;
    await store.getState().refresh();
    await store.getState().open(named("t", "newest"));
    expect(getTrace.mock.calls.map(([key]) => key.tenant)).toEqual([undefined, "newest", "newest"]);
    expect(store.getState().spans).toBe(before);
  });
});

describe("a link without a tenant to an id of several tenants", () => {
  const ambiguous = async (key: TraceKey): Promise<TraceDetail> => {
    if (key.tenant === undefined) throw new CollectorError("ambiguous_trace", "2 tenants");
    return detailOf([], key.traceId, key.tenant);
  };

  it("opens the newest of them", async () => {
    const { store, listTraces } = setUp(ambiguous, [{ tenant: "globex" } as TraceSummary]);
    await store.getState().open(named("t"));
    expect(store.getState()).toMatchObject({ phase: "ready", tenant: "globex" });
    expect(listTraces).toHaveBeenCalledWith({ trace_id: "t", limit: 1 }, expect.anything());
  });

  it("reports the collector's error if they are gone", async () => {
    const { store } = setUp(ambiguous);
    await store.getState().open(named("t"));
    expect(store.getState()).toMatchObject({ phase: "error", error: { code: "ambiguous_trace" } });
  });
});
