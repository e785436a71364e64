import { createContext, use, type ReactNode } from "react";
import { useStore, type StoreApi } from "zustand";
import type { CollectorApi } from "./api/collector-api.js";
import type { ConnectionState, ConnectionStore } from "./store/connection-store.js";
import type { EvaluationsStore } from "./store/evaluations-store.js";
import type { LiveTextsStore } from "./store/live-texts-store.js";
import type { Preferences, PreferencesStore } from "./store/preferences-store.js";
import type { SessionStore } from "./store/session-store.js";
import type { TraceFilesStore } from "./store/trace-files-store.js";
import type { PipelineStore } from "./store/pipeline-store.js";
import type { StatsStore } from "./store/stats-store.js";
import type { TraceStore } from "./store/trace-store.js";
import type { TracesStore } from "./store/traces-store.js";

/** The stores that components read and call. Components never fetch; the stores do. */
export interface AppStores {
  readonly connection: ConnectionStore;
  readonly preferences: PreferencesStore;
  readonly session: SessionStore;
  readonly traces: TracesStore;
  readonly files: TraceFilesStore;
  readonly trace: TraceStore;
  readonly liveTexts: LiveTextsStore;
  readonly evaluations: EvaluationsStore;
  readonly stats: StatsStore;
  readonly pipeline: PipelineStore;
  readonly api: CollectorApi;
}

const AppContext = createContext<AppStores | undefined>(undefined);

export function AppProvider({ stores, children }: { stores: AppStores; children: ReactNode }) {
  return <AppContext value={stores}>{children}</AppContext>;
}

export function useStores(): AppStores {
  const stores = use(AppContext);
  if (stores === undefined) throw new Error("useStores needs an AppProvider above it.");
  return stores;
}

export function useConnection<T>(select: (state: ConnectionState) => T): T {
  return useStore(useStores().connection, select);
}

export function usePreferences<T>(select: (state: Preferences) => T): T {
  return useStore(useStores().preferences, select);
}

export function useSession<T>(select: (state: StateOf<SessionStore>) => T): T {
  return useStore(useStores().session, select);
}

export function useTraces<T>(select: (state: StateOf<TracesStore>) => T): T {
  return useStore(useStores().traces, select);
}

export function useEvaluations<T>(select: (state: StateOf<EvaluationsStore>) => T): T {
  return useStore(useStores().evaluations, select);
}

export function useTrace<T>(select: (state: StateOf<TraceStore>) => T): T {
  return useStore(useStores().trace, select);
}

export function useLiveText(spanId: string): string | undefined {
  return useStore(useStores().liveTexts, ({ texts }) => texts.get(spanId));
}

export function useStats<T>(select: (state: StateOf<StatsStore>) => T): T {
  return useStore(useStores().stats, select);
}

export function usePipeline<T>(select: (state: StateOf<PipelineStore>) => T): T {
  return useStore(useStores().pipeline, select);
}

type StateOf<Store> = Store extends StoreApi<infer State> ? State : never;
