import type { ConfigDescription, LiveEvent, Stats } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi, CollectorError } from "../api/collector-api.js";
import { createRemoteData, watchData, type StoreClock } from "./remote-data.js";

/** Time ranges of the Metrics page. */
export const WINDOWS = ["5m", "15m", "1h", "6h", "24h"] as const;
export type StatsWindow = (typeof WINDOWS)[number];

/** Dimensions for grouping. */
export const GROUPS = ["model", "agent", "service", "provider", "tool_name"] as const;
export type StatsGroupBy = (typeof GROUPS)[number];

/** Labels for filtering. */
export const STATS_FILTERS = ["service", "env", "agent", "model", "provider", "tenant"] as const;
export type StatsFilter = (typeof STATS_FILTERS)[number];
export type StatsFilters = Readonly<Partial<Record<StatsFilter, string>>>;

/** The chosen view of the page. */
export interface StatsView {
  readonly window: StatsWindow;
  readonly groupBy: StatsGroupBy;
  readonly filters: StatsFilters;
}

/** The data of all panels for one view. */
export interface StatsPanels {
  readonly view: StatsView;
  /** All spans, grouped by the view's dimension. */
  readonly grouped: Stats;
  /** Model calls only, grouped in the same way: latency and failures. */
  readonly calls: Stats;
  /** Tool calls, by tool. */
  readonly tools: Stats;
  /** The last day by agent; undefined without objectives. */
  readonly agents: Stats | undefined;
}

export interface StatsState {
  readonly view: StatsView;
  readonly panels: StatsPanels | undefined;
  /** The collector's configuration; undefined until it is loaded. */
  readonly config: ConfigDescription["config"] | undefined;
  readonly error: CollectorError | undefined;
  /** Label values in the last day. */
  readonly choices: Readonly<Partial<Record<StatsFilter, readonly string[]>>>;
  /** Shows another view, which is fetched while it is watched. */
  show(view: StatsView): void;
  /** Fetches again, now. */
  load(): Promise<void>;
  loadChoices(filter: StatsFilter): Promise<void>;
  /** Follows live events until the returned function is called. */
  watch(): () => void;
  onLive(event: LiveEvent): void;
  onConnected(unchangedMs: number): void;
}
export type StatsStore = ReturnType<typeof createStatsStore>;

export interface StatsStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getStats" | "getConfig">;
  /** Whether the user has paused updates. */
  readonly isPaused: () => boolean;
}

/** Refresh rate: charts that change more often are hard to read. */
const REFRESH = { intervalMs: 2000, restFactor: 4 };

export const DEFAULT_VIEW: StatsView = { window: "1h", groupBy: "model", filters: {} };

/** Data of the Metrics page, fetched when the view changes and refreshed while visible. */
export function createStatsStore({ api, isPaused, schedule, now }: StatsStoreOptions) {
  return createStore<StatsState>()((set, get) => {
    /** State of the newest step; the same state again needs no fetch. */
    let seen = "";
    const data = createRemoteData({
      async fetch(signal) {
        const { view } = get();
        if (get().config === undefined) set({ config: (await api.getConfig(signal)).config });
        return await fetchPanels(view, signal);
      },
      onData: (panels) => set({ panels, error: undefined }),
      onError: (error) => set({ error }),
      refresh: REFRESH,
      // A refresh requested before the user paused would still change the page.
      canRefresh: () => !isPaused(),
      schedule,
      now,
    });
    const watched = watchData(data);

    async function fetchPanels(view: StatsView, signal: AbortSignal): Promise<StatsPanels> {
      const { window, groupBy, filters } = view;
      const hasObjectives = get().config?.["sre.enabled"]?.value === true;
      const [grouped, calls, tools, agents] = await Promise.all([
        api.getStats({ ...filters, window, group_by: groupBy, groups: 7 }, signal),
        api.getStats({ ...filters, window, span_type: "llm", group_by: groupBy, groups: 7 }, signal),
        api.getStats({ ...filters, window, span_type: "tool", group_by: "tool_name", groups: 50 }, signal),
        hasObjectives
          ? api.getStats({ window: "24h", step: "1h", group_by: "agent", groups: 50 }, signal)
          : undefined,
      ]);
      return { view, grouped, calls, tools, agents };
    }

    return {
      view: DEFAULT_VIEW,
      panels: undefined,
      config: undefined,
      error: undefined,
      choices: {},
      show(view) {
        if (JSON.stringify(view) === JSON.stringify(get().view)) return;
        set({ view });
        if (watched.isWatched()) void data.load();
      },
      load: () => data.load(),
      async loadChoices(filter) {
        try {
          const { groups } = await api.getStats({ window: "24h", step: "1h", group_by: filter, groups: 50 });
          const values = groups.map(({ value }) => value).filter((value) => value !== "");
          set(({ choices }) => ({ choices: { ...choices, [filter]: values } }));
        } catch {
          // The menu keeps its known values; the page reports the error.
        }
      },
      watch: () => watched.watch(),
      onConnected: (unchangedMs) => watched.catchUp(unchangedMs),
      onLive(event) {
        if (event.type !== "metrics" || !watched.isWatched() || isPaused()) return;
        const { start, total } = event.data;
        const newest = `${start} ${total.spans} ${total.scores}`;
        if (newest === seen) return;
        // The first comes with the connection, beside the answer.
        const isFirst = seen === "";
        seen = newest;
        if (!isFirst) watched.invalidate();
      },
    };
  });
}
