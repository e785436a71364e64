import { createStore } from "zustand/vanilla";
import { asCollectorError, type CollectorApi } from "../api/collector-api.js";
import { deleteTraces } from "./delete-traces.js";
import { NO_SELECTION, withSelection } from "./facet-selection.js";
import { scheduleTimeout } from "./remote-data.js";
import { inStartOrder } from "./start-order.js";
import { buildTestTrace } from "./test-trace.js";
import { ListPages } from "./list-pages.js";
import { createPageLoader } from "./page-loader.js";
import { asBefore, createTraceFeed, NO_ROWS } from "./trace-feed.js";
import { randomHex } from "./random-hex.js";
import { rowKeyOf } from "./trace-key.js";
import {
  areSameFilters,
  facetChoices,
  groupChoices,
  isFacetKey,
  INITIAL_STATE,
  type TracesActions,
  type TracesState,
} from "./traces-state.js";

export type { TracesActions, TracesState } from "./traces-state.js";

export interface TracesStoreOptions {
  readonly api: CollectorApi;
  /** Runs `task` after `delayMs`. Default: setTimeout. */
  readonly schedule?: (task: () => void, delayMs: number) => void;
  /** In epoch milliseconds. Default: Date.now. */
  readonly now?: () => number;
  /** Returns a random id of as many bytes, in hexadecimal digits. Default: of the browser's random numbers. */
  readonly newId?: (bytes: number) => string;
}

/** The store of the trace list: pages from the collector, merged with live events. */
export function createTracesStore({
  api,
  schedule = scheduleTimeout,
  now = Date.now,
  newId = randomHex,
}: TracesStoreOptions) {
  return createStore<TracesState & TracesActions>()((set, get) => {
    const pages = new ListPages();
    const feed = createTraceFeed({ api, get, set, pages, schedule, now });
    let choicesAsked = 0;
    const loader = createPageLoader({ api, get, set, pages, onInvalidCursor });

    function onInvalidCursor(): void {
      if (get().above > 0) restart();
      else feed.reload();
    }

    /** Shows the newest traces again. */
    function restart(): void {
      if (get().phase === "ready") set({ hasGap: false, phase: "loading" });
      void feed.load();
    }

    return {
      ...INITIAL_STATE,
      load: () => feed.load(),
      keepRowsStill: () => feed.keepRowsStill(),
      onLive: (event) => feed.onLive(event),
      onConnected: (unchangedMs) => feed.onConnected(unchangedMs),

      loadMore: () => loader.loadOlder(),
      loadReleased: (index) => loader.loadReleased(index),

      async loadChoices(key, contains = "") {
        const { filters } = get();
        const asked = ++choicesAsked;
        // Evaluations are counted by several fields, of which a text would hide some.
        const isByText = contains !== "" && key !== "has_evaluation";
        try {
          const isChosen = isFacetKey(key) || key === "user";
          const others = isChosen ? withSelection(filters, key, NO_SELECTION) : filters;
          const question = { ...others, ...(isByText ? { contains } : {}) };
          const found =
            key === "user"
              ? groupChoices(await api.getGroups({ ...question, by: key, order: "runs" }), contains)
              : facetChoices(await api.getFacets(question), key, contains);
          // The answer for an earlier text may arrive last.
          if (get().filters === filters && asked === choicesAsked)
            set(({ choices }) => ({ choices: { ...choices, [key]: found } }));
        } catch (error) {
          set({ error: asCollectorError(error) });
        }
      },

      setFilters(filters, order) {
        if (areSameFilters(filters, get().filters) && order === get().order) {
          if (get().phase !== "ready") void feed.load();
          return;
        }
        feed.forget();
        const { hasGap, choices, position } = INITIAL_STATE;
        set({
          filters,
          order,
          phase: "loading",
          following: true,
          selected: new Set(),
          hasGap,
          choices,
          position,
        });
        void feed.load();
      },

      setPaused(paused) {
        set({ paused });
        if (paused) return;
        if (get().hasGap && get().following) get().showArrivals();
        else feed.resume();
      },

      setFollowing(following) {
        if (following === get().following) return;
        set({ following });
        if (!following || get().paused) return;
        get().showArrivals();
        feed.catchUp();
      },

      showArrivals() {
        const { arrivals, rows, hasGap, above, phase, order } = get();
        if (phase === "ready" && (hasGap || above > 0)) restart();
        else if (order === "start")
          set({ rows: asBefore(inStartOrder([...arrivals, ...rows]), rows), arrivals: NO_ROWS });
      },

      setSelected: (selected) => set({ selected, deletion: INITIAL_STATE.deletion }),

      async deleteSelected() {
        set({ deletion: { isRunning: true, failure: undefined } });
        const { kept, failure } = await deleteTraces(get().selected, (key) => api.deleteTrace(key));
        const gone = new Set([...get().selected].filter((key) => !kept.has(key)));
        set(({ rows }) => ({
          rows: rows.filter((row) => !gone.has(rowKeyOf(row))),
          selected: kept,
          deletion: { isRunning: false, failure },
        }));
        feed.recount();
      },

      async sendTestTrace() {
        set({ testTrace: { isSending: true, failure: undefined } });
        let failure: string | undefined;
        try {
          await api.importTraces(new Blob([buildTestTrace(now(), newId)]));
        } catch (error) {
          failure = asCollectorError(error).message;
        }
        set({ testTrace: { isSending: false, failure } });
      },

      setPosition: (position) => set({ position }),
    };
  });
}
export type TracesStore = ReturnType<typeof createTracesStore>;
