import type {
  ConfigDescription,
  Events,
  LiveEvent,
  LiveMetrics,
  Stats,
} from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi, CollectorError } from "../api/collector-api.js";
import { createRemoteData, watchData, type StoreClock } from "./remote-data.js";

/** The pipeline's counters at one time. */
export interface CounterSnapshot {
  readonly atMs: number;
  readonly values: LiveMetrics["pipeline"];
}

export interface PipelineState {
  readonly config: ConfigDescription["config"] | undefined;
  /** The last five minutes. */
  readonly stats: Stats | undefined;
  readonly events: Events | undefined;
  /** Newest last. Rates are computed between the first and the last. */
  readonly snapshots: readonly CounterSnapshot[];
  readonly error: CollectorError | undefined;
  load(): Promise<void>;
  /** Follows live events until the returned function is called. */
  watch(): () => void;
  onLive(event: LiveEvent): void;
  onConnected(unchangedMs: number): void;
}
export type PipelineStore = ReturnType<typeof createPipelineStore>;

export interface PipelineStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getStats" | "getConfig" | "getEvents">;
  readonly isPaused: () => boolean;
}

/** Rates cover five seconds; over one second they would jump with every batch. */
const SNAPSHOTS_KEPT = 6;
const REFRESH = { intervalMs: 3000, restFactor: 4 };

/** Data of the Pipeline page: live counters, and periodically the last minutes and events. */
export function createPipelineStore({
  api,
  isPaused,
  schedule,
  now = () => performance.now(),
}: PipelineStoreOptions) {
  return createStore<PipelineState>()((set, get) => {
    const data = createRemoteData({
      async fetch(signal) {
        const [config, stats, events] = await Promise.all([
          get().config ?? api.getConfig(signal).then((description) => description.config),
          api.getStats({ window: "5m" }, signal),
          api.getEvents(signal),
        ]);
        return { config, stats, events };
      },
      onData: (fetched) => set({ ...fetched, error: undefined }),
      onError: (error) => set({ error }),
      refresh: REFRESH,
      // A refresh requested before the user paused would still change the page.
      canRefresh: () => !isPaused(),
      schedule,
      now,
    });
    const watched = watchData(data);
    return {
      config: undefined,
      stats: undefined,
      events: undefined,
      snapshots: [],
      error: undefined,
      load: () => data.load(),
      watch: () => watched.watch(),
      onConnected: (unchangedMs) => watched.catchUp(unchangedMs),
      onLive(event) {
        if (event.type !== "metrics" || isPaused()) return;
        // Stored even if the page is closed, so that it has data when it opens.
        const snapshot = { atMs: now(), values: event.data.pipeline };
        // The first comes with the connection, beside the answer.
        const isFirst = get().snapshots.length === 0;
        set(({ snapshots }) => ({ snapshots: [...snapshots, snapshot].slice(-SNAPSHOTS_KEPT) }));
        if (!isFirst) watched.invalidate();
      },
    };
  });
}
