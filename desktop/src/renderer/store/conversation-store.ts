import type {
  LiveEvent,
  SessionDetail,
  SessionSummary,
  TraceDetail,
  TraceSummary,
} from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import {
  asCollectorError,
  CollectorError,
  type CollectorApi,
  type SessionKey,
  type TraceKey,
} from "../api/collector-api.js";
import { createRemoteData, type StoreClock } from "./remote-data.js";
import { inStartOrder } from "./start-order.js";
import { rowKeyOf } from "./trace-key.js";

/** The spans of a turn, as of a summary of its trace. */
export interface TurnDetail {
  /** What was asked for: a newer summary asks again. */
  readonly of: TraceSummary;
  /** Undefined while the first answer is under way. */
  readonly spans: TraceDetail["spans"] | undefined;
  readonly error: CollectorError | undefined;
}

/** The turns whose spans have a text. */
export interface TurnSearch {
  readonly text: string;
  /** By row key, in order of start. Undefined while the first answer is under way. */
  readonly found: readonly string[] | undefined;
  /** There are more, which are not listed. */
  readonly hasMore: boolean;
  readonly error: CollectorError | undefined;
}

export interface ConversationState {
  /** Undefined if no session is open. */
  readonly sessionId: string | undefined;
  readonly tenant: string | undefined;
  readonly session: SessionSummary | undefined;
  /** Its last traces, in order of start; earlier ones are fetched when the reader comes near. */
  readonly turns: readonly TraceSummary[];
  readonly earlierCursor: string | null;
  readonly isLoadingEarlier: boolean;
  /** By row key. */
  readonly details: Readonly<Record<string, TurnDetail>>;
  readonly search: TurnSearch;
  readonly phase: "loading" | "ready" | "error";
  /** Why the session is not up to date. */
  readonly error: CollectorError | undefined;
}

export interface ConversationActions {
  open(key: SessionKey): Promise<void>;
  refresh(): Promise<void>;
  loadEarlier(): Promise<void>;
  /** The keys of all turns, after fetching those that are not there yet. */
  allTraces(): Promise<readonly TraceKey[]>;
  /** Fetches earlier turns until one is there. Undefined if it is not, or cannot be fetched. */
  reach(rowKey: string): Promise<TraceSummary | undefined>;
  /** Looks for the turns whose spans have a text, in any letter case. */
  setSearch(text: string): void;
  /** Fetches the spans of the turns that are visible. */
  show(turns: readonly TraceSummary[]): void;
  /** Fetches the spans of a turn again, after an error. */
  retry(turn: TraceSummary): void;
  onLive(event: LiveEvent): void;
  onConnected(unchangedMs: number): void;
}

export interface ConversationStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getSession" | "getTrace" | "listSessions" | "listTraces">;
}

const PAGE_SIZE = 100;
const REFRESH = { intervalMs: 500, restFactor: 5 } as const;
/** While a text is typed, it is looked for a few times a second. */
const SEARCH_REFRESH = { intervalMs: 200, restFactor: 2 } as const;
/** Traces that are fetched at a time: each may have 500 spans. */
const MAX_FETCHES = 3;
/** Turns whose spans are kept: more than a screen shows. */
const MAX_DETAILS = 40;
/** Turns that a search lists. */
const MAX_FOUND = 1000;
const NO_SEARCH: TurnSearch = { text: "", found: undefined, hasMore: false, error: undefined };

const EMPTY = {
  session: undefined,
  turns: [],
  earlierCursor: null,
  isLoadingEarlier: false,
  details: {},
  search: NO_SEARCH,
  phase: "loading",
  error: undefined,
} as const satisfies Partial<ConversationState>;

/** The session that is open, read from its end. */
export function createConversationStore({ api, ...clock }: ConversationStoreOptions) {
  return createStore<ConversationState & ConversationActions>()((set, get) => {
    let wanted: readonly TraceSummary[] = [];
    let fetches = 0;

    const data = createRemoteData({
      async fetch(signal) {
        const { sessionId = "", tenant } = get();
        return await readSession({ sessionId, tenant }, signal);
      },
      onData(page) {
        set({ ...withLastPage(get(), page), phase: "ready", error: undefined });
        fetchWanted();
        if (get().search.text.trim() !== "") matches.invalidate();
      },
      onError: (error) => set(get().session === undefined ? { phase: "error", error } : { error }),
      refresh: REFRESH,
      ...clock,
    });

    const matches = createRemoteData({
      async fetch(signal) {
        const { sessionId = "", session, search } = get();
        const query = {
          session: sessionId,
          tenant: session?.tenant ?? "",
          q: search.text.trim(),
          limit: MAX_FOUND,
        };
        return await api.listTraces(query, signal);
      },
      onData({ traces, next_cursor: cursor }) {
        const found = inStartOrder(traces).map(rowKeyOf).reverse();
        set({ search: { ...get().search, found, hasMore: cursor !== null, error: undefined } });
      },
      onError: (error) => set({ search: { ...get().search, found: [], hasMore: false, error } }),
      refresh: SEARCH_REFRESH,
      canRefresh: () => get().search.text.trim() !== "",
      ...clock,
    });

    /** A link without a tenant opens the session that was active last. */
    async function readSession(key: SessionKey, signal: AbortSignal): Promise<SessionDetail> {
      const query = { order: "newest", limit: PAGE_SIZE } as const;
      try {
        return await api.getSession(key, query, signal);
      } catch (error) {
        if (!(error instanceof CollectorError) || error.code !== "ambiguous_session") throw error;
        const { sessions } = await api.listSessions({ limit: 1000 }, signal);
        const latest = sessions.find(({ session_id: id }) => id === key.sessionId);
        if (latest === undefined) throw error;
        return await api.getSession({ ...key, tenant: latest.tenant }, query, signal);
      }
    }

    let fetchingEarlier: Promise<void> | undefined;

    async function fetchEarlier(): Promise<void> {
      const { sessionId, session, earlierCursor: cursor } = get();
      if (sessionId === undefined || session === undefined || cursor === null) return;
      set({ isLoadingEarlier: true });
      try {
        const query = { order: "newest", limit: PAGE_SIZE, cursor } as const;
        const page = await api.getSession({ sessionId, tenant: session.tenant }, query);
        if (get().sessionId !== sessionId) return;
        const known = new Set(get().turns.map(rowKeyOf));
        const earlier = page.traces.filter((trace) => !known.has(rowKeyOf(trace))).toReversed();
        set({ turns: [...earlier, ...get().turns], earlierCursor: page.next_cursor });
      } catch (error) {
        if (get().sessionId === sessionId) set({ error: asCollectorError(error) });
      } finally {
        set({ isLoadingEarlier: false });
      }
    }

    async function loadEarlierUntil(isEnough: () => boolean): Promise<void> {
      const { sessionId } = get();
      while (get().sessionId === sessionId && !isEnough()) {
        const { earlierCursor: cursor } = get();
        if (cursor === null) return;
        await get().loadEarlier();
        // It could not be fetched.
        if (get().earlierCursor === cursor) return;
      }
    }

    function fetchWanted(): void {
      const current = new Map(get().turns.map((turn) => [rowKeyOf(turn), turn]));
      for (const each of wanted) {
        if (fetches >= MAX_FETCHES) return;
        const turn = current.get(rowKeyOf(each));
        if (turn !== undefined && get().details[rowKeyOf(turn)]?.of !== turn) void fetchDetail(turn);
      }
    }

    async function fetchDetail(turn: TraceSummary): Promise<void> {
      const { sessionId } = get();
      const key = rowKeyOf(turn);
      const put = (change: Partial<TurnDetail>): void => {
        if (get().sessionId !== sessionId) return;
        const before = get().details[key];
        const detail = { of: turn, spans: before?.spans, error: undefined, ...change };
        set(({ details }) => ({ details: withDetail(details, key, detail) }));
      };
      put({});
      fetches++;
      try {
        const { spans } = await api.getTrace({ traceId: turn.trace_id, tenant: turn.tenant });
        put({ spans });
      } catch (error) {
        put({ error: asCollectorError(error) });
      } finally {
        fetches--;
        fetchWanted();
      }
    }

    return {
      sessionId: undefined,
      tenant: undefined,
      ...EMPTY,

      async open(key) {
        if (!isOpenSession(get(), key)) {
          wanted = [];
          fetchingEarlier = undefined;
          matches.abort();
          set({ ...key, ...EMPTY });
        }
        await data.load();
      },

      async refresh() {
        if (get().sessionId !== undefined) await data.load();
      },

      loadEarlier() {
        if (fetchingEarlier !== undefined) return fetchingEarlier;
        const fetching = fetchEarlier().finally(() => {
          // Another session may be open by now.
          if (fetchingEarlier === fetching) fetchingEarlier = undefined;
        });
        return (fetchingEarlier = fetching);
      },

      async allTraces() {
        const { sessionId } = get();
        await loadEarlierUntil(() => false);
        if (get().sessionId !== sessionId) throw new Error("Another session was opened.");
        if (get().earlierCursor !== null)
          throw get().error ?? new Error("The earlier turns of the session could not be fetched.");
        return get().turns.map(({ trace_id: traceId, tenant }) => ({ traceId, tenant }));
      },

      async reach(rowKey) {
        const find = () => get().turns.find((turn) => rowKeyOf(turn) === rowKey);
        await loadEarlierUntil(() => find() !== undefined);
        return find();
      },

      setSearch(text) {
        if (text === get().search.text) return;
        set({ search: { ...NO_SEARCH, text } });
        if (text.trim() === "") matches.abort();
        else matches.invalidate();
      },

      show(turns) {
        wanted = turns;
        fetchWanted();
      },

      retry: (turn) => void fetchDetail(turn),

      onLive(event) {
        const { sessionId, tenant } = get();
        if (sessionId === undefined) return;
        const isOurs =
          event.type === "trace" &&
          event.data.session_id === sessionId &&
          (tenant === undefined || event.data.tenant === tenant);
        if (isOurs || event.type === "reset") data.invalidate();
      },

      onConnected(unchangedMs) {
        if (!data.isAskedWithin(unchangedMs)) void get().refresh();
      },
    };
  });
}
export type ConversationStore = ReturnType<typeof createConversationStore>;

/** Whether this is the open session, or may turn out to be. */
export function isOpenSession(
  state: Pick<ConversationState, "sessionId" | "tenant">,
  { sessionId, tenant }: SessionKey,
): boolean {
  if (state.sessionId !== sessionId) return false;
  return state.tenant === undefined || tenant === undefined || state.tenant === tenant;
}

/** The state with a fresh page of the last turns. Unchanged turns stay the same objects. */
function withLastPage(
  { turns: before, earlierCursor }: ConversationState,
  { session, traces, next_cursor: cursor }: SessionDetail,
): Pick<ConversationState, "session" | "tenant" | "turns" | "earlierCursor"> {
  const known = new Map(before.map((turn) => [rowKeyOf(turn), turn]));
  const page = traces.toReversed().map((trace) => {
    const same = known.get(rowKeyOf(trace));
    return same !== undefined && JSON.stringify(same) === JSON.stringify(trace) ? same : trace;
  });
  const [first] = page;
  const place = before.findIndex((turn) => first !== undefined && rowKeyOf(turn) === rowKeyOf(first));
  // Between the page and what was known may be turns that were not fetched: then earlier ones are fetched again.
  const isJoined = cursor === null || place >= 0;
  const earlier = isJoined && place > 0 ? before.slice(0, place) : [];
  return {
    session,
    tenant: session.tenant,
    turns: [...earlier, ...page],
    earlierCursor: earlier.length > 0 ? earlierCursor : cursor,
  };
}

function withDetail(
  details: ConversationState["details"],
  key: string,
  detail: TurnDetail,
): ConversationState["details"] {
  const others = Object.entries(details).filter(([known]) => known !== key);
  return Object.fromEntries([...others.slice(-MAX_DETAILS + 1), [key, detail]]);
}
