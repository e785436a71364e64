import type { LiveEvent, SessionList, SessionOrder, SessionSummary } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import {
  asCollectorError,
  type CollectorApi,
  type CollectorError,
  type TraceFilters,
  type TraceKey,
} from "../api/collector-api.js";
import { createRemoteData, watchData, type StoreClock } from "./remote-data.js";
import { deleteSessions } from "./delete-sessions.js";
import { sessionKeyOf, sessionRowKey } from "./session-key.js";
import { traceFiltersOf, withoutSession } from "./session-terms.js";
import { areSameFilters } from "./traces-state.js";

export interface SessionsState {
  readonly filters: TraceFilters;
  readonly order: SessionOrder;
  readonly rows: readonly SessionSummary[];
  readonly nextCursor: string | null;
  readonly phase: "loading" | "ready" | "error";
  readonly error: CollectorError | undefined;
  readonly isLoadingMore: boolean;
  /** Sessions that are new at the top and wait, because the reader is elsewhere. */
  readonly arrivals: number;
  /** Whether the list moves with what happens: the reader is at its top. */
  readonly following: boolean;
  /** Keys of the rows that are selected. */
  readonly selected: ReadonlySet<string>;
  readonly deletion: { readonly isRunning: boolean; readonly failure: string | undefined };
  /** Traces that the filters find and that name no session; undefined until they were counted. */
  readonly traceCountWithout: number | undefined;
  /** Scroll position when the page was left. */
  readonly position: { readonly scrollTop: number; readonly activeKey: string | undefined };
}

export interface SessionsActions {
  load(): Promise<void>;
  /** Fetches the page after the rows. */
  loadMore(): Promise<void>;
  setFilters(filters: TraceFilters, order: SessionOrder): void;
  setFollowing(following: boolean): void;
  setSelected(selected: ReadonlySet<string>): void;
  /** Deletes all traces of the selected sessions. */
  deleteSelected(): Promise<void>;
  setPosition(position: SessionsState["position"]): void;
  onLive(event: LiveEvent): void;
  onConnected(unchangedMs: number): void;
  /** The page is visible: follows changes. Returns the function that stops it. */
  watch(): () => void;
}

export interface SessionsStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "listSessions" | "getSession" | "getFacets" | "deleteTrace">;
  readonly isPaused: () => boolean;
}

const PAGE_SIZE = 100;
/** The list is refreshed at most once a second, less often if that is slow. */
const REFRESH = { intervalMs: 1000, restFactor: 5 } as const;

/** The traces without a session are a note beside the list. */
const COUNT_REFRESH = { intervalMs: 10_000, restFactor: 20 } as const;
/** Traces of a session that are asked for at once. */
const TRACES_PER_PAGE = 1000;
const NO_DELETION = { isRunning: false, failure: undefined } as const;

/** The list of sessions. A change of any session is fetched with the first page. */
export function createSessionsStore({ api, isPaused, schedule, now }: SessionsStoreOptions) {
  return createStore<SessionsState & SessionsActions>()((set, get) => {
    const data = createRemoteData({
      async fetch(signal) {
        const { filters, order } = get();
        return await api.listSessions({ ...filters, order, limit: PAGE_SIZE }, signal);
      },
      onData: (page) => set({ ...withFirstPage(get(), page), phase: "ready", error: undefined }),
      onError: (error) => set(get().phase === "ready" ? { error } : { phase: "error", error }),
      refresh: REFRESH,
      canRefresh: () => !isPaused(),
      schedule,
      now,
    });
    const watched = watchData(data);
    const without = createRemoteData({
      async fetch(signal) {
        const filters = withoutSession(get().filters);
        return filters === undefined ? undefined : (await api.getFacets(filters, signal)).total;
      },
      onData: (traceCountWithout) => set({ traceCountWithout }),
      onError: () => set({ traceCountWithout: undefined }),
      refresh: COUNT_REFRESH,
      canRefresh: () => !isPaused(),
      schedule,
      now,
    });
    const watchedCount = watchData(without);

    async function tracesOf(rowKey: string): Promise<TraceKey[]> {
      const key = sessionKeyOf(rowKey);
      const keys: TraceKey[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const query = { limit: TRACES_PER_PAGE, ...(cursor !== undefined && { cursor }) };
        const { traces, next_cursor: next } = await api.getSession(key, query);
        keys.push(...traces.map(({ trace_id: traceId, tenant }) => ({ traceId, tenant })));
        cursor = next;
      }
      return keys;
    }

    return {
      filters: {},
      order: "newest",
      rows: [],
      nextCursor: null,
      phase: "loading",
      error: undefined,
      isLoadingMore: false,
      arrivals: 0,
      following: true,
      selected: new Set(),
      deletion: NO_DELETION,
      traceCountWithout: undefined,
      position: { scrollTop: 0, activeKey: undefined },

      load: () => data.load(),

      async loadMore() {
        const { nextCursor: cursor, filters, order, isLoadingMore, phase } = get();
        if (cursor === null || isLoadingMore || phase !== "ready") return;
        set({ isLoadingMore: true });
        const isCurrent = (): boolean => get().filters === filters && get().order === order;
        try {
          const page = await api.listSessions({ ...filters, order, limit: PAGE_SIZE, cursor });
          if (!isCurrent()) return;
          const known = new Set(get().rows.map(sessionRowKey));
          const added = page.sessions.filter((session) => !known.has(sessionRowKey(session)));
          set({ rows: [...get().rows, ...added], nextCursor: page.next_cursor, error: undefined });
        } catch (error) {
          const known = asCollectorError(error);
          // The cursor belongs to the collector before a restart: the list is fetched again.
          if (isCurrent() && known.code === "invalid_query") set({ rows: [], nextCursor: null });
          if (isCurrent()) set({ error: known });
          if (known.code === "invalid_query") void data.load();
        } finally {
          set({ isLoadingMore: false });
        }
      },

      setFilters(filters, order) {
        if (areSameFilters(filters, get().filters) && order === get().order) return;
        data.abort();
        const isSameCount = areSameFilters(traceFiltersOf(filters), traceFiltersOf(get().filters));
        set({
          filters,
          order,
          rows: [],
          nextCursor: null,
          phase: "loading",
          arrivals: 0,
          following: true,
          selected: new Set(),
          deletion: NO_DELETION,
          position: { scrollTop: 0, activeKey: undefined },
        });
        void data.load();
        if (isSameCount) return;
        set({ traceCountWithout: undefined });
        if (watchedCount.isWatched()) void without.load();
      },

      setFollowing(following) {
        if (following === get().following) return;
        set({ following });
        // What waited is shown now.
        if (following && get().arrivals > 0) void data.load();
      },

      setSelected: (selected) => set({ selected, deletion: NO_DELETION }),

      async deleteSelected() {
        set({ deletion: { isRunning: true, failure: undefined } });
        const { kept, failure } = await deleteSessions(get().selected, tracesOf, (key) =>
          api.deleteTrace(key),
        );
        const gone = new Set([...get().selected].filter((key) => !kept.has(key)));
        set(({ rows }) => ({
          rows: rows.filter((row) => !gone.has(sessionRowKey(row))),
          selected: kept,
          deletion: { isRunning: false, failure },
        }));
        void data.load();
      },

      setPosition: (position) => set({ position }),

      onLive(event) {
        const isReset = event.type === "reset";
        if (isReset || (event.type === "trace" && event.data.session_id !== null)) watched.invalidate();
        if (isReset || (event.type === "trace" && event.data.session_id === null)) watchedCount.invalidate();
      },
      onConnected(unchangedMs) {
        watched.catchUp(unchangedMs);
        watchedCount.catchUp(unchangedMs);
      },
      watch() {
        const leave = [watched.watch(), watchedCount.watch()];
        return () => {
          for (const each of leave) each();
        };
      },
    };
  });
}
export type SessionsStore = ReturnType<typeof createSessionsStore>;

/**
 * The list with a fresh first page. A reader who is not at the top sees the known rows change in place; new ones wait, because
 * rows do not move under the pointer.
 */
function withFirstPage(
  { rows, nextCursor, following }: SessionsState,
  page: SessionList,
): Pick<SessionsState, "rows" | "nextCursor" | "arrivals"> {
  const fresh = new Map(page.sessions.map((session) => [sessionRowKey(session), session]));
  if (!following && rows.length > 0) {
    const known = new Set(rows.map(sessionRowKey));
    const arrivals = [...fresh.keys()].filter((key) => !known.has(key)).length;
    return { rows: rows.map((row) => fresh.get(sessionRowKey(row)) ?? row), nextCursor, arrivals };
  }
  if (rows.length <= PAGE_SIZE || page.next_cursor === null)
    return { rows: page.sessions, nextCursor: page.next_cursor, arrivals: 0 };
  // Rows of later pages stay. A row of the first page that is not there any more is gone.
  const later = rows.slice(PAGE_SIZE).filter((row) => !fresh.has(sessionRowKey(row)));
  return { rows: [...page.sessions, ...later], nextCursor, arrivals: 0 };
}
