import type { Facets, TraceSummary, View } from "@obspan/collector-core/api-schema";
import type { CollectorApi, TraceFilters } from "../../src/renderer/api/collector-api.js";
import { rowKeyOf } from "../../src/renderer/store/trace-key.js";

/** A minimal summary, with the given fields. */
export function summary(id: string, fields: Partial<TraceSummary> = {}): TraceSummary {
  return {
    trace_id: id,
    tenant: "",
    root_name: "run",
    service: "shop",
    env: "production",
    version: null,
    agent: null,
    session_id: null,
    user_id: null,
    models: [],
    providers: [],
    tools: [],
    prompts: [],
    status: "OK",
    error_type: null,
    error_count: 0,
    start_time: "2026-11-21T10:00:00Z",
    duration_ms: 10,
    ttft_ms: null,
    span_count: 1,
    llm_calls: 0,
    tool_calls: 0,
    tokens_input: 0,
    tokens_output: 0,
    cost_usd: 0,
    cost_source: null,
    scores: [],
    input_preview: null,
    output_preview: null,
    dropped_spans: 0,
    running: false,
    partial: false,
    ...fields,
  };
}

/** Empty facets, with the given fields. */
export function facets(fields: Partial<Facets> = {}): Facets {
  return {
    total: 0,
    service: [],
    env: [],
    agent: [],
    model: [],
    status: [],
    span_type: [],
    tenant: [],
    evaluation_type: [],
    version: [],
    provider: [],
    tool: [],
    prompt: [],
    error_type: [],
    cost_usd: 0,
    cost_source: null,
    distinct: { service: 1204 },
    ...fields,
  };
}

/** A fake collector that answers from `stored`, newest first, and records its requests. */
export function fakeApi(stored: TraceSummary[]) {
  const asked: (TraceFilters & { limit?: number; cursor?: string })[] = [];
  const counted: (TraceFilters & { contains?: string })[] = [];
  const sent: unknown[] = [];
  const refused = new Map<string, Error>();
  const views = new Map<string, View>();
  const api: CollectorApi = {
    listTraces: async (query) => {
      asked.push(query);
      const from =
        query.cursor === undefined ? 0 : stored.findIndex((row) => row.trace_id === query.cursor) + 1;
      const to = from + (query.limit ?? 20);
      const traces = stored.slice(from, to);
      return { traces, next_cursor: to < stored.length ? (traces.at(-1)?.trace_id ?? null) : null };
    },
    getTrace: () => Promise.reject(new Error("not asked for")),
    compareTraces: () => Promise.reject(new Error("not asked for")),
    listSessions: () => Promise.reject(new Error("not asked for")),
    getSession: () => Promise.reject(new Error("not asked for")),
    getSpan: () => Promise.reject(new Error("not asked for")),
    getContext: () => Promise.reject(new Error("not asked for")),
    getFacets: async (filters) => {
      counted.push(filters);
      return facets({ total: stored.length, service: [{ value: "shop", count: stored.length }] });
    },
    getHistogram: async () => ({ total: 0, bucket_ms: null, buckets: [] }),
    getGroups: async () => ({ groups: [], other: null, unread: 0 }),
    exportAddress: () => "/v1/export",
    sessionsExportAddress: () => "/v1/export?whole_sessions=true",
    traceFileAddress: () => "/v1/traces/a/export",
    sessionFileAddress: () => "/v1/sessions/s/export",
    readSessionMarkdown: async () => "# Session: s\n",
    exportSession: async ({ sessionId }) => new Blob([`${sessionId}\n`]),
    exportTrace: async ({ traceId }) => new Blob([`${traceId}\n`]),
    importTraces: () => Promise.reject(new Error("not asked for")),
    listEvaluations: async () => ({ evaluations: [], next_cursor: null }),
    getEvaluationSummary: () => Promise.reject(new Error("not asked for")),
    runEvaluations: () => Promise.reject(new Error("not asked for")),
    getStats: () => Promise.reject(new Error("not asked for")),
    getEvents: () => Promise.reject(new Error("not asked for")),
    getViews: async () => ({ views: [...views.values()] }),
    putView: async (id, content) => void views.set(id, { id, ...content }),
    deleteView: async (id) => {
      if (!views.delete(id)) throw new Error(`There is no view ${id}.`);
    },
    getConfig: () => Promise.reject(new Error("not asked for")),
    checkConfig: () => Promise.reject(new Error("not asked for")),
    putConfig: () => Promise.reject(new Error("not asked for")),
    getPrices: () => Promise.reject(new Error("not asked for")),
    findPrices: () => Promise.reject(new Error("not asked for")),
    deleteTrace: async ({ traceId, tenant = "" }) => {
      const key = rowKeyOf({ tenant, trace_id: traceId });
      const refusal = refused.get(key);
      if (refusal !== undefined) throw refusal;
      const index = stored.findIndex((row) => rowKeyOf(row) === key);
      if (index !== -1) stored.splice(index, 1);
    },
    deleteAllTraces: async () => void stored.splice(0),
    sendBatch: async (batch) => void sent.push(batch),
    openSession: () => Promise.reject(new Error("not asked for")),
    closeSession: () => Promise.reject(new Error("not asked for")),
    hasAccess: async () => true,
  };
  return { api, asked, counted, sent, refused };
}

/** A clock that is moved by the test. */
export function fakeTime() {
  let nowMs = 1_000_000;
  let tasks: { task: () => void; atMs: number }[] = [];
  return {
    now: () => nowMs,
    schedule: (task: () => void, delayMs: number) => void tasks.push({ task, atMs: nowMs + delayMs }),
    /** Runs due tasks, and lets promises settle in between. */
    async pass(ms: number): Promise<void> {
      const untilMs = nowMs + ms;
      await settle();
      for (;;) {
        const next = tasks.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined || next.atMs > untilMs) break;
        tasks = tasks.filter((each) => each !== next);
        nowMs = Math.max(nowMs, next.atMs);
        next.task();
        await settle();
      }
      nowMs = untilMs;
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
