import type { LiveEvent, NormalizedSpan, TraceDetail, TraceSummary } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import { asCollectorError, CollectorError, type CollectorApi, type TraceKey } from "../api/collector-api.js";
import { createRemoteData, type StoreClock } from "./remote-data.js";

export interface TraceState {
  readonly traceId: string | undefined;
  /** The tenant; undefined until known. */
  readonly tenant: string | undefined;
  readonly trace: TraceSummary | undefined;
  /** In order of start. Long texts are previews until {@link TraceActions.loadWhole}. */
  readonly spans: readonly NormalizedSpan[];
  /** Fully loaded spans, by id. */
  readonly whole: Readonly<Record<string, NormalizedSpan>>;
  /** Ids of the spans that are being fully loaded. */
  readonly loadingWhole: ReadonlySet<string>;
  /** Errors of loading spans fully, by id. */
  readonly wholeErrors: Readonly<Record<string, CollectorError>>;
  /** `error` if nothing can be shown. Once a trace is loaded it stays, and only `error` is set. */
  readonly phase: "loading" | "ready" | "error";
  readonly error: CollectorError | undefined;
}

export interface TraceActions {
  /** Opens a trace and fetches it, unless it is open and being fetched. */
  open(key: TraceKey): Promise<void>;
  /** Refreshes the open trace; the old data stays until the answer arrives. */
  refresh(): Promise<void>;
  /** Loads one span with its full texts. */
  loadWhole(spanId: string): Promise<void>;
  onLive(event: LiveEvent): void;
  /** Fetches what may have changed while no events arrived. */
  onConnected(unchangedMs: number): void;
}

/** Whether the trace has more spans than are loaded. */
export function isLoadedInPart({ trace, spans }: Pick<TraceState, "trace" | "spans">): boolean {
  return spans.length < (trace?.span_count ?? 0);
}

/** The first change is fetched at once, the next after an interval: less often for large traces. */
const REFRESH = { intervalMs: 500, restFactor: 5 };

const EMPTY = {
  trace: undefined,
  spans: [],
  whole: {},
  loadingWhole: new Set<string>(),
  wholeErrors: {},
  phase: "loading",
  error: undefined,
} as const satisfies Partial<TraceState>;

/** The trace that is open. */
export function createTraceStore(api: CollectorApi, clock: StoreClock = {}) {
  return createStore<TraceState & TraceActions>()((set, get) => {
    const data = createRemoteData({
      async fetch(signal) {
        const { traceId = "", tenant } = get();
        return await readTrace({ traceId, tenant }, signal);
      },
      onData({ trace, spans }) {
        const kept = keepUnchanged(get().spans, spans);
        const whole = stillValid(get(), kept);
        set({ trace, tenant: trace.tenant, spans: kept, whole, phase: "ready", error: undefined });
      },
      onError(error) {
        // The shown trace stays while the collector is away, and after it was evicted.
        set(get().trace === undefined ? { phase: "error", error } : { error });
      },
      refresh: REFRESH,
      ...clock,
    });

    /** A link without a tenant opens the newest trace of its id. */
    async function readTrace(key: TraceKey, signal: AbortSignal): Promise<TraceDetail> {
      try {
        return await api.getTrace(key, signal);
      } catch (error) {
        if (!(error instanceof CollectorError) || error.code !== "ambiguous_trace") throw error;
        const { traces } = await api.listTraces({ trace_id: key.traceId, limit: 1 }, signal);
        const [newest] = traces;
        if (newest === undefined) throw error;
        return await api.getTrace({ ...key, tenant: newest.tenant }, signal);
      }
    }

    return {
      traceId: undefined,
      tenant: undefined,
      ...EMPTY,

      async open(key) {
        if (!isOpen(get(), key)) set({ ...key, ...EMPTY });
        // The list asks for a trace before its page does.
        else if (data.isLoading()) return;
        await get().refresh();
      },

      async refresh() {
        if (get().traceId !== undefined) await data.load();
      },

      async loadWhole(spanId) {
        const { traceId, tenant, loadingWhole, whole } = get();
        const isStill = (): boolean => get().traceId === traceId && get().tenant === tenant;
        if (traceId === undefined || loadingWhole.has(spanId) || Object.hasOwn(whole, spanId)) return;
        set({
          loadingWhole: new Set([...loadingWhole, spanId]),
          wholeErrors: without(get().wholeErrors, spanId),
        });
        try {
          const span = await api.getSpan({ traceId, tenant }, spanId);
          if (isStill()) set(({ whole: present }) => ({ whole: { ...present, [spanId]: span } }));
        } catch (error) {
          if (!isStill()) return;
          set(({ wholeErrors }) => ({ wholeErrors: { ...wholeErrors, [spanId]: asCollectorError(error) } }));
        } finally {
          if (isStill()) {
            set((state) => ({
              loadingWhole: new Set([...state.loadingWhole].filter((id) => id !== spanId)),
            }));
          }
        }
      },

      onLive(event) {
        if (get().traceId === undefined) return;
        const concerns =
          event.type === "reset" ||
          (event.type === "trace" &&
            isOpen(get(), { traceId: event.data.trace_id, tenant: event.data.tenant }));
        if (concerns) data.invalidate();
      },

      onConnected(unchangedMs) {
        if (!data.isAskedWithin(unchangedMs)) void get().refresh();
      },
    };
  });
}
export type TraceStore = ReturnType<typeof createTraceStore>;

/** Whether this is the open trace, or may turn out to be. */
export function isOpen(
  state: Pick<TraceState, "traceId" | "tenant">,
  { traceId, tenant }: TraceKey,
): boolean {
  if (state.traceId !== traceId) return false;
  return state.tenant === undefined || tenant === undefined || state.tenant === tenant;
}

/** The new spans, reusing the objects of unchanged ones to avoid rendering. */
function keepUnchanged(
  before: readonly NormalizedSpan[],
  after: readonly NormalizedSpan[],
): readonly NormalizedSpan[] {
  const known = new Map(before.map((span) => [span.span_id, span]));
  const kept = after.map((span) => {
    const earlier = known.get(span.span_id);
    return earlier !== undefined && isSame(earlier, span) ? earlier : span;
  });
  const isUnchanged = kept.length === before.length && kept.every((span, index) => span === before[index]);
  return isUnchanged ? before : kept;
}

function isSame(a: NormalizedSpan, b: NormalizedSpan): boolean {
  return a.status === b.status && a.duration_ms === b.duration_ms && JSON.stringify(a) === JSON.stringify(b);
}

/** The fully loaded spans that have not changed since. */
function stillValid(
  { spans, whole }: Pick<TraceState, "spans" | "whole">,
  after: readonly NormalizedSpan[],
): TraceState["whole"] {
  if (spans === after || Object.keys(whole).length === 0) return whole;
  const unchanged = new Set(spans);
  const valid = after.filter((span) => unchanged.has(span) && Object.hasOwn(whole, span.span_id));
  return Object.fromEntries(valid.map(({ span_id: id }) => [id, whole[id] as NormalizedSpan]));
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}
