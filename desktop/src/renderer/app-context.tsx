import { createContext, use, type ReactNode } from "react";
import { useStore, type StoreApi } from "zustand";
import type { CollectorApi } from "./api/collector-api.js";
import type { CompareStore } from "./store/compare-store.js";
import type { ConnectionState, ConnectionStore } from "./store/connection-store.js";
import type { ElsewhereState, ElsewhereStore } from "./store/elsewhere-store.js";
import type { EvaluationsStore } from "./store/evaluations-store.js";
import type { GroupsStore, GroupsState } from "./store/groups-store.js";
import type { LiveTextsStore } from "./store/live-texts-store.js";
import type { Preferences, PreferencesStore } from "./store/preferences-store.js";
import type { ContextState, ContextStore } from "./store/context-store.js";
import type { ConversationStore } from "./store/conversation-store.js";
import type { SessionStore } from "./store/session-store.js";
import type { SessionsStore } from "./store/sessions-store.js";
import type { TraceFilesStore } from "./store/trace-files-store.js";
import type { PipelineStore } from "./store/pipeline-store.js";
import type { Thresholds, ThresholdsStore } from "./store/thresholds-store.js";
import type { PricesState, PricesStore } from "./store/prices-store.js";
import type { SettingsStore } from "./store/settings-store.js";
import type { StatsStore } from "./store/stats-store.js";
import type { TraceStore } from "./store/trace-store.js";
import type { ViewsStore } from "./store/views-store.js";
import type { TracesStore } from "./store/traces-store.js";

/** The stores that components read and call. Components never fetch; the stores do. */
export interface AppStores {
  readonly connection: ConnectionStore;
  readonly preferences: PreferencesStore;
  readonly session: SessionStore;
  readonly traces: TracesStore;
  readonly views: ViewsStore;
  readonly groups: GroupsStore;
  readonly sessions: SessionsStore;
  /** The session that is open. */
  readonly conversation: ConversationStore;
  readonly files: TraceFilesStore;
  readonly trace: TraceStore;
  /** The context of the selected model call. */
  readonly context: ContextStore;
  /** The two traces that are compared. */
  readonly compare: CompareStore;
  readonly liveTexts: LiveTextsStore;
  readonly evaluations: EvaluationsStore;
  readonly stats: StatsStore;
  readonly pipeline: PipelineStore;
  readonly thresholds: ThresholdsStore;
  readonly settings: SettingsStore;
  readonly prices: PricesStore;
  readonly elsewhere: ElsewhereStore;
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

export function useViews<T>(select: (state: StateOf<ViewsStore>) => T): T {
  return useStore(useStores().views, select);
}

export function useGroups<T>(select: (state: GroupsState) => T): T {
  return useStore(useStores().groups, select);
}

export function useSessions<T>(select: (state: StateOf<SessionsStore>) => T): T {
  return useStore(useStores().sessions, select);
}

export function useConversation<T>(select: (state: StateOf<ConversationStore>) => T): T {
  return useStore(useStores().conversation, select);
}

export function useEvaluations<T>(select: (state: StateOf<EvaluationsStore>) => T): T {
  return useStore(useStores().evaluations, select);
}

export function useComparison<T>(select: (state: StateOf<CompareStore>) => T): T {
  return useStore(useStores().compare, select);
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

export function useSettings<T>(select: (state: StateOf<SettingsStore>) => T): T {
  return useStore(useStores().settings, select);
}

/** The configured thresholds of scores. */
export function useThresholds(): Thresholds {
  return useStore(useStores().thresholds, ({ byType }) => byType);
}

type StateOf<Store> = Store extends StoreApi<infer State> ? State : never;

export function useContextOfCall<T>(select: (state: ContextState) => T): T {
  return useStore(useStores().context, select);
}

export function usePrices<T>(select: (state: PricesState) => T): T {
  return useStore(useStores().prices, select);
}

export function useElsewhere<T>(select: (state: ElsewhereState) => T): T {
  return useStore(useStores().elsewhere, select);
}
