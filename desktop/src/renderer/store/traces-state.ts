import type {
  Facets,
  LiveEvent,
  TraceGroups,
  TraceOrder,
  TraceSummary,
} from "@obspan/collector-core/api-schema";
import type { CollectorError, TraceFilters } from "../api/collector-api.js";
import type { ClippedHistogram } from "./clipped-histogram.js";
import { haveTenants } from "./trace-key.js";

/** Filters for which the collector knows the values. */
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

/** What the collector counts values of, for menus and for the completion of a query. */
export const CHOICE_KEYS = [
  ...FACET_KEYS,
  "version",
  "provider",
  "tool",
  "prompt",
  "error_type",
  "evaluation_type",
  "user",
] as const;
export type ChoiceKey = (typeof CHOICE_KEYS)[number];

/** True for a filter that has a menu. */
export function isFacetKey(key: string): key is FacetKey {
  return (FACET_KEYS as readonly string[]).includes(key);
}

/** Values of a filter with their number of traces, most frequent first. */
export type FacetValues = Facets["service"];

/** The values of a filter, as the collector counts them. */
export function facetValues(facets: Facets, key: ChoiceKey): FacetValues {
  // They are as many as traces: the collector counts them when they are asked for.
  if (key === "user") return [];
  if (key !== "has_evaluation") return facets[key];
  const evaluated = facets.span_type.find(({ value }) => value === "evaluation")?.count ?? 0;
  if (evaluated === 0) return [];
  const both = [
    { value: "true", count: evaluated },
    { value: "false", count: facets.total - evaluated },
  ];
  return [...both.filter(({ count }) => count > 0), ...facets.evaluation_type];
}

/** The values of a filter to choose from. */
export interface FacetChoices {
  /** The most frequent first. */
  readonly values: FacetValues;
  /** Number of values, also of those that the collector left out. */
  readonly total: number;
  /** The text that all of them contain. */
  readonly contains: string;
}

/** The values of a filter as groups of the traces. */
export function groupChoices({ groups, other }: TraceGroups, contains: string): FacetChoices {
  const values = groups.flatMap(({ value, runs }) => (value === null ? [] : [{ value, count: runs }]));
  return { values, total: values.length + (other?.groups ?? 0), contains };
}

/** The values of a filter in an answer of the collector. */
export function facetChoices(facets: Facets, key: ChoiceKey, contains: string): FacetChoices {
  const values = facetValues(facets, key);
  if (key !== "has_evaluation") return { values, total: facets.distinct[key] ?? values.length, contains };
  const fitting = values.filter(({ value }) => value.toLowerCase().includes(contains.toLowerCase()));
  return { values: fitting, total: fitting.length, contains };
}

export interface TracesState {
  readonly filters: TraceFilters;
  readonly order: TraceOrder;
  /** In this order. Of a long list, a part around the user's position. */
  readonly rows: readonly TraceSummary[];
  /** Number of rows before them that were let go. */
  readonly above: number;
  /** Arrivals that wait behind the "N new" pill, the latest start first. */
  readonly arrivals: readonly TraceSummary[];
  /** More arrived than `arrivals` holds. */
  readonly hasGap: boolean;
  readonly nextCursor: string | null;
  readonly phase: "loading" | "ready" | "error";
  readonly error: CollectorError | undefined;
  readonly isLoadingMore: boolean;
  /** Counts over the matching traces. */
  readonly facets: Facets | undefined;
  /** Start times of the traces that match the filters, ignoring their time range. */
  readonly histogram: ClippedHistogram | undefined;
  /** Values to choose from, by filter, counted as if that filter were not set. */
  readonly choices: Readonly<Partial<Record<ChoiceKey, FacetChoices>>>;
  /** Whether the user paused the table; arrivals wait. */
  readonly paused: boolean;
  /** Whether arrivals are shown at once: the user is at the top. */
  readonly following: boolean;
  /** Traces that arrived since the page was opened, shown or waiting. */
  readonly arrivedCount: number;
  /** Keys of the rows that are selected. */
  readonly selected: ReadonlySet<string>;
  readonly deletion: { readonly isRunning: boolean; readonly failure: string | undefined };
  readonly testTrace: { readonly isSending: boolean; readonly failure: string | undefined };
  /** Scroll position when the page was left. */
  readonly position: ListPosition;
}

/** A position in the table. */
export interface ListPosition {
  readonly scrollTop: number;
  readonly activeKey: string | undefined;
}

export interface TracesActions {
  /** Fetches the newest traces and merges them into the list. */
  load(): Promise<void>;
  /** Fetches the page after the rows. */
  loadMore(): Promise<void>;
  /** Fetches rows that were let go. The index counts from the newest row of the list. */
  loadReleased(index: number): Promise<void>;
  /**
   * Fetches the values and counts of one filter.
   *
   * @param contains - only values that contain this text. Default: all.
   */
  loadChoices(key: ChoiceKey, contains?: string): Promise<void>;
  /** Fetches the traces of these filters, unless they are shown. */
  setFilters(filters: TraceFilters, order: TraceOrder): void;
  setPaused(paused: boolean): void;
  setFollowing(following: boolean): void;
  /** Keeps rows in place while the user points at one. */
  keepRowsStill(): void;
  /** Moves waiting arrivals into the table. */
  showArrivals(): void;
  setSelected(selected: ReadonlySet<string>): void;
  deleteSelected(): Promise<void>;
  /** Sends a small example trace. */
  sendTestTrace(): Promise<void>;
  setPosition(position: ListPosition): void;
  /** Handles a live event. Events are applied together, at most five times a second. */
  onLive(event: LiveEvent): void;
  /** Fetches what may have changed while no events arrived. */
  onConnected(unchangedMs: number): void;
}

export const INITIAL_STATE: TracesState = {
  filters: {},
  order: "start",
  rows: [],
  above: 0,
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

/** Whether the collector has no traces and no filter is the reason. */
export function isFirstRun(state: TracesState): boolean {
  const { phase, rows, arrivals, filters } = state;
  return phase === "ready" && rows.length === 0 && arrivals.length === 0 && isUnfiltered(filters);
}

/** Whether no filter is set. */
export function isUnfiltered(filters: TraceFilters): boolean {
  return Object.values(filters).every((value) => value === undefined);
}

/** Whether tenants matter: the collector is multi-tenant, or a filter names one. */
export function isMultiTenant({ rows, facets, filters }: TracesState): boolean {
  return filters.tenant !== undefined || (facets?.tenant.length ?? 0) > 0 || haveTenants(rows);
}

/** Whether two filters are equal. */
export function areSameFilters(a: TraceFilters, b: TraceFilters): boolean {
  return FILTER_NAMES.every((name) => a[name] === b[name]);
}

/** All filter parameters. */
export const FILTER_NAMES = [
  ...FACET_KEYS,
  "min_duration_ms",
  "root_name",
  "trace_id",
  "since",
  "until",
  "query",
] as const satisfies readonly (keyof TraceFilters)[];
