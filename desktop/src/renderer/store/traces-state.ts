import type {
  Facets,
  Histogram,
  LiveEvent,
  TraceOrder,
  TraceSummary,
} from "@obspan/collector-core/api-schema";
import type { CollectorError, TraceFilters } from "../api/collector-api.js";
import { haveTenants } from "./trace-key.js";

/** Filters that the collector knows the values of. */
export const FACET_KEYS = [
  "service",
  "env",
  "agent",
  "model",
  "status",
  "span_type",
  "tenant",
  "has_evaluation",
] as const;
export type FacetKey = (typeof FACET_KEYS)[number];

/** Values of one filter, most frequent first, with how many traces have them. */
export type FacetValues = Facets["service"];

/** The values of a filter, as the collector counts them. */
export function facetValues(facets: Facets, key: FacetKey): FacetValues {
  if (key !== "has_evaluation") return facets[key];
  const evaluated = facets.span_type.find(({ value }) => value === "evaluation")?.count ?? 0;
  if (evaluated === 0) return [];
  const both = [
    { value: "true", count: evaluated },
    { value: "false", count: facets.total - evaluated },
  ];
  return [...both.filter(({ count }) => count > 0), ...facets.evaluation_type];
}

export interface TracesState {
  readonly filters: TraceFilters;
  readonly order: TraceOrder;
  /** In this order. */
  readonly rows: readonly TraceSummary[];
  /** Arrivals that wait behind the "N new" pill, newest first. */
  readonly arrivals: readonly TraceSummary[];
  /** More arrived than `arrivals` holds. */
  readonly hasGap: boolean;
  readonly nextCursor: string | null;
  readonly phase: "loading" | "ready" | "error";
  readonly error: CollectorError | undefined;
  readonly isLoadingMore: boolean;
  /** Counts over the traces that the filters choose. */
  readonly facets: Facets | undefined;
  /** When the traces started that the filters choose, whatever time they choose. */
  readonly histogram: Histogram | undefined;
  /** Values to choose from by filter, counted as if that filter were not set. */
  readonly choices: Readonly<Partial<Record<FacetKey, FacetValues>>>;
  /** The reader stopped the table; arrivals wait. */
  readonly paused: boolean;
  /** The table shows arrivals at once: the reader is at its top. */
  readonly following: boolean;
  /** Traces that came since the page was opened, shown or waiting. */
  readonly arrivedCount: number;
  /** Keys of the rows that are selected. */
  readonly selected: ReadonlySet<string>;
  readonly deletion: { readonly isRunning: boolean; readonly failure: string | undefined };
  readonly testTrace: { readonly isSending: boolean; readonly failure: string | undefined };
  /** Where the reader was when the page was left. */
  readonly position: ListPosition;
}

/** Where a reader is in the table. */
export interface ListPosition {
  readonly scrollTop: number;
  readonly activeKey: string | undefined;
}

export interface TracesActions {
  /** Fetches the newest traces, and joins them with what is shown. */
  load(): Promise<void>;
  loadMore(): Promise<void>;
  /** Fetches the values of one filter, with their counts. */
  loadChoices(key: FacetKey): Promise<void>;
  setFilters(filters: TraceFilters, order: TraceOrder): void;
  setPaused(paused: boolean): void;
  setFollowing(following: boolean): void;
  /** While the reader aims at a row, rows stay under the pointer. */
  holdStill(): void;
  /** Puts what waits at the top of the table. */
  showArrivals(): void;
  setSelected(selected: ReadonlySet<string>): void;
  deleteSelected(): Promise<void>;
  /** Posts a small trace as an app would. */
  sendTestTrace(): Promise<void>;
  rememberPosition(position: ListPosition): void;
  /** Takes an event of the live feed. Events are gathered and applied at most five times a second. */
  onLive(event: LiveEvent): void;
  /** Fetches what may have changed while the collector was away. */
  onReconnect(): void;
}

export const INITIAL_STATE: TracesState = {
  filters: {},
  order: "newest",
  rows: [],
  arrivals: [],
  hasGap: false,
  nextCursor: null,
  phase: "loading",
  error: undefined,
  isLoadingMore: false,
  facets: undefined,
  histogram: undefined,
  choices: {},
  paused: false,
  following: true,
  arrivedCount: 0,
  selected: new Set(),
  deletion: { isRunning: false, failure: undefined },
  testTrace: { isSending: false, failure: undefined },
  position: { scrollTop: 0, activeKey: undefined },
};

/** True where the collector keeps no trace at all, and no filter is the reason. */
export function isFirstRun(state: TracesState): boolean {
  const { phase, rows, arrivals, filters } = state;
  return phase === "ready" && rows.length === 0 && arrivals.length === 0 && isUnfiltered(filters);
}

/** True where nothing is filtered. */
export function isUnfiltered(filters: TraceFilters): boolean {
  return Object.values(filters).every((value) => value === undefined);
}

/** Whether the list has to do with tenants: the collector is multi-tenant, or a filter says so. */
export function isMultiTenant({ rows, facets, filters }: TracesState): boolean {
  return filters.tenant !== undefined || (facets?.tenant.length ?? 0) > 0 || haveTenants(rows);
}

/** Whether two filters choose the same. */
export function areSameFilters(a: TraceFilters, b: TraceFilters): boolean {
  return FILTER_NAMES.every((name) => a[name] === b[name]);
}

/** All parameters that choose traces. */
export const FILTER_NAMES = [
  ...FACET_KEYS,
  "min_duration_ms",
  "root_name",
  "trace_id",
  "since",
  "until",
  "q",
] as const satisfies readonly (keyof TraceFilters)[];
