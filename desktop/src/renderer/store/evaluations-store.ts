import {
  FEEDBACK_TYPE,
  type Evaluation,
  type EvaluationSummary,
  type ListedEvaluation,
  type LiveEvent,
} from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import {
  asCollectorError,
  type CollectorApi,
  type CollectorError,
  type TraceKey,
} from "../api/collector-api.js";
import { createRemoteData, watchData, type StoreClock } from "./remote-data.js";
import { randomHex } from "./random-hex.js";

/** Time ranges of the page, in milliseconds. */
export const EVALUATION_WINDOWS = {
  "1 h": 3_600_000,
  "24 h": 86_400_000,
  "7 d": 7 * 86_400_000,
} as const;
export type EvaluationWindow = keyof typeof EVALUATION_WINDOWS;

/** Filters of the page. */
export interface EvaluationFilters {
  readonly window: EvaluationWindow;
  readonly type: string | undefined;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  /** The listed rows: past their threshold, all with a score, or failed. */
  readonly rows: "past" | "all" | "failed";
}

export interface EvaluationsState {
  readonly filters: EvaluationFilters;
  readonly summary: EvaluationSummary | undefined;
  readonly rows: readonly ListedEvaluation[];
  readonly nextCursor: string | null;
  readonly error: CollectorError | undefined;
  /** Ids of evaluations that are being repeated. */
  readonly running: ReadonlySet<string>;
  /** Result of the last run. */
  readonly runNotice: string | undefined;
}

export interface EvaluationsActions {
  readonly load: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
  readonly setFilters: (filters: Partial<EvaluationFilters>) => void;
  readonly onLive: (event: LiveEvent) => void;
  /** Fetches what may have changed while no events arrived. */
  readonly onConnected: (unchangedMs: number) => void;
  /** The page is visible: follows changes. Returns the function that stops it. */
  readonly watch: () => () => void;
  readonly runAgain: (evaluation: Evaluation) => Promise<void>;
  /** Evaluates traces, or one span, with the given types. */
  readonly run: (
    types: readonly string[],
    over: { readonly traces: TracesToEvaluate; readonly spanId?: string },
  ) => Promise<void>;
  /** Sends the user's feedback about a span. */
  readonly rate: (about: RatedSpan, score: 0 | 1) => Promise<void>;
}

/** Traces, or what fetches them: a failure is the result of the run. */
export type TracesToEvaluate = readonly TraceKey[] | (() => Promise<readonly TraceKey[]>);

/** A span that receives feedback. */
export interface RatedSpan {
  readonly trace: TraceKey;
  readonly spanId: string;
  readonly service: string;
  readonly env: string;
  /** Id of the earlier feedback, which the new one replaces. */
  readonly earlierId: string | undefined;
}

export interface EvaluationsStoreOptions extends StoreClock {
  readonly api: CollectorApi;
  /** In epoch milliseconds. Default: Date.now. */
  readonly now?: () => number;
}

/** Traces in one request to evaluate them (contract 3). */
const MAX_RUN_TRACES = 1000;
const PAGE_SIZE = 50;
const POINTS = 84;
const REFRESH = { intervalMs: 1000, restFactor: 4 } as const;

/** The store of the Evaluations page: the summary and the list. */
export function createEvaluationsStore({ api, schedule, now = Date.now }: EvaluationsStoreOptions) {
  return createStore<EvaluationsState & EvaluationsActions>()((set, get) => {
    const data = createRemoteData({
      async fetch(signal) {
        const [summary, page] = await Promise.all([
          api.getEvaluationSummary({ ...query(), points: POINTS }, signal),
          api.listEvaluations(listQuery(), signal),
        ]);
        return { summary, rows: page.evaluations, nextCursor: page.next_cursor };
      },
      onData: (fetched) => set({ ...fetched, error: undefined }),
      onError: (error) => set({ error }),
      refresh: REFRESH,
      schedule,
      now,
    });
    const watched = watchData(data);

    function query() {
      const { window, type, agent, model } = get().filters;
      return {
        since: new Date(now() - EVALUATION_WINDOWS[window]).toISOString(),
        ...(type === undefined ? {} : { type }),
        ...(agent === undefined ? {} : { agent }),
        ...(model === undefined ? {} : { model }),
      };
    }

    function listQuery() {
      const { rows } = get().filters;
      return {
        ...query(),
        limit: PAGE_SIZE,
        ...(rows === "failed" ? { outcome: "error,timeout,malformed" } : { order: "worst" as const }),
        ...(rows === "past" ? { past_threshold: true } : {}),
      };
    }

    return {
      filters: { window: "24 h", type: undefined, agent: undefined, model: undefined, rows: "past" },
      summary: undefined,
      rows: [],
      nextCursor: null,
      error: undefined,
      running: new Set(),
      runNotice: undefined,

      load: () => data.load(),

      async loadMore() {
        const { nextCursor: cursor, rows } = get();
        if (cursor === null) return;
        try {
          const page = await api.listEvaluations({ ...listQuery(), cursor });
          // Another page was fetched meanwhile, so this one does not continue it.
          if (get().rows !== rows) return;
          set({ rows: [...rows, ...page.evaluations], nextCursor: page.next_cursor });
        } catch (error) {
          set({ error: asCollectorError(error) });
        }
      },

      setFilters(filters) {
        set({ filters: { ...get().filters, ...filters } });
        void data.load();
      },

      onLive(event) {
        if (event.type === "evaluation" || event.type === "reset") watched.invalidate();
      },

      onConnected: (unchangedMs) => watched.catchUp(unchangedMs),
      watch: () => watched.watch(),

      async runAgain(evaluation) {
        const { trace_id: traceId, evaluated_span_id: spanId, span_id: id, tenant, type } = evaluation;
        set({ running: new Set([...get().running, id]) });
        await get().run([type], { traces: [{ traceId, tenant }], ...(spanId === null ? {} : { spanId }) });
        set({ running: new Set([...get().running].filter((each) => each !== id)) });
      },

      async run(types, { traces, spanId }) {
        const sum = { enqueued: 0, dropped: 0, spans: 0 };
        let failure: string | undefined;
        let keys: readonly TraceKey[];
        try {
          keys = typeof traces === "function" ? await traces() : traces;
        } catch (error) {
          set({ runNotice: asCollectorError(error).message });
          return;
        }
        for (const { tenant, traceIds } of runsOf(keys)) {
          try {
            const { enqueued, dropped, spans } = await api.runEvaluations({
              types: [...types],
              ...(spanId === undefined
                ? { trace_ids: traceIds }
                : { spans: traceIds.map((traceId) => ({ trace_id: traceId, span_id: spanId })) }),
              ...(tenant === undefined ? {} : { tenant }),
            });
            sum.enqueued += enqueued;
            sum.dropped += dropped;
            sum.spans += spans;
          } catch (error) {
            failure = asCollectorError(error).message;
          }
        }
        const isAny = sum.spans > 0 || failure === undefined;
        set({
          runNotice: [...(isAny ? [noticeOf(sum)] : []), ...(failure === undefined ? [] : [failure])].join(
            " ",
          ),
        });
      },

      async rate({ trace: { traceId, tenant }, spanId, service, env, earlierId }, score) {
        try {
          const batch = {
            service,
            env,
            spans: [
              {
                name: `evaluation.${FEEDBACK_TYPE}`,
                span_type: "evaluation",
                trace_id: traceId,
                span_id: earlierId ?? randomHex(8),
                parent_span_id: spanId,
                duration_ms: 0,
                attributes: {
                  evaluation_type: FEEDBACK_TYPE,
                  evaluation_score: score,
                  evaluation_label: score === 1 ? "up" : "down",
                  evaluation_source: "user",
                  evaluation_outcome: "completed",
                  evaluated_span_id: spanId,
                },
              },
            ],
          };
          await api.sendBatch(batch, tenant);
          set({ runNotice: undefined });
        } catch (error) {
          set({ runNotice: asCollectorError(error).message });
        }
      },
    };
  });
}
export type EvaluationsStore = ReturnType<typeof createEvaluationsStore>;

/** Groups traces into requests: each takes traces of one tenant, up to a limit. */
function runsOf(traces: readonly TraceKey[]): { tenant: string | undefined; traceIds: string[] }[] {
  const byTenant = new Map<string | undefined, string[]>();
  for (const { traceId, tenant } of traces) {
    const traceIds = byTenant.get(tenant) ?? [];
    byTenant.set(tenant, traceIds);
    traceIds.push(traceId);
  }
  return [...byTenant].flatMap(([tenant, traceIds]) => {
    const requests = Math.ceil(traceIds.length / MAX_RUN_TRACES);
    return Array.from({ length: requests }, (_, index) => ({
      tenant,
      traceIds: traceIds.slice(index * MAX_RUN_TRACES, (index + 1) * MAX_RUN_TRACES),
    }));
  });
}

function noticeOf({
  enqueued,
  dropped,
  spans,
}: Readonly<Record<"enqueued" | "dropped" | "spans", number>>): string {
  const over = `${spans} ${spans === 1 ? "span" : "spans"}`;
  if (enqueued === 0 && dropped === 0) return "There is no model call with an answer to evaluate.";
  const lost = dropped === 0 ? "" : `; the queue had no room for ${dropped}`;
  return `${enqueued} ${enqueued === 1 ? "evaluation" : "evaluations"} queued for ${over}${lost}.`;
}
