import type {
  ConfigDescription,
  Events,
  LiveEvent,
  LiveMetrics,
  Stats,
} from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi, CollectorError } from "../api/collector-api.js";
import { createPacer } from "./pacer.js";
import { asCollectorError } from "./trace-feed.js";

/** The pipeline's counters at a moment. */
export interface CounterSnapshot {
  readonly atMs: number;
  readonly values: LiveMetrics["pipeline"];
}

export interface PipelineState {
  readonly config: ConfigDescription["config"] | undefined;
  /** The last five minutes. */
  readonly stats: Stats | undefined;
  readonly events: Events | undefined;
  /** The newest one last; rates come from the first and the last of them. */
  readonly snapshots: readonly CounterSnapshot[];
  readonly error: CollectorError | undefined;
  load(): Promise<void>;
  /** Follows what happens until the returned function is called. */
  watch(): () => void;
  onLive(event: LiveEvent): void;
}
export type PipelineStore = ReturnType<typeof createPipelineStore>;

/** What {@link createPipelineStore} needs. */
export interface PipelineStoreOptions {
  readonly api: Pick<CollectorApi, "getStats" | "getConfig" | "getEvents">;
  readonly isPaused: () => boolean;
  readonly schedule?: (task: () => void, delayMs: number) => void;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** A rate is over five seconds: over one it would jump with every batch. */
const SNAPSHOTS_KEPT = 6;
const REFRESH_MS = 3000;

/** What the Pipeline page shows: counters as they come, the last minutes and events now and then. */
export function createPipelineStore({
  api,
  isPaused,
  schedule = (task, delayMs) => void setTimeout(task, delayMs),
  now = () => performance.now(),
}: PipelineStoreOptions) {
  return createStore<PipelineState>()((set, get) => {
    let watchers = 0;
    const refresh = createPacer({
      // Asked for before the reader paused, it would still move what they look at.
      run: async () => (isPaused() ? undefined : get().load()),
      intervalMs: REFRESH_MS,
      restFactor: 4,
      schedule,
      now,
    });
    return {
      config: undefined,
      stats: undefined,
      events: undefined,
      snapshots: [],
      error: undefined,
      async load() {
        try {
          const [config, stats, events] = await Promise.all([
            get().config ?? api.getConfig().then((description) => description.config),
            api.getStats({ window: "5m" }),
            api.getEvents(),
          ]);
          set({ config, stats, events, error: undefined });
        } catch (error) {
          set({ error: asCollectorError(error) });
        }
      },
      watch() {
        watchers++;
        void get().load();
        return () => {
          watchers--;
        };
      },
      onLive(event) {
        if (event.type !== "metrics" || isPaused()) return;
        // Kept while nobody looks, so that the page has figures when it opens.
        const snapshot = { atMs: now(), values: event.data.pipeline };
        set(({ snapshots }) => ({ snapshots: [...snapshots, snapshot].slice(-SNAPSHOTS_KEPT) }));
        if (watchers > 0) refresh.request();
      },
    };
  });
}
