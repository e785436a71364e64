import type { LiveEvent, TraceSummary } from "@obspan/collector-core/api-schema";
import type { CollectorApi } from "../api/collector-api.js";
import { fetchClipped } from "./clipped-histogram.js";
import { omit } from "./omit.js";
import { createRemoteData } from "./remote-data.js";
import { MAX_ROWS, type ListPages } from "./list-pages.js";
import { MAX_PAGE_SIZE, PAGE_SIZE } from "./page-loader.js";
import { rowKeyOf } from "./trace-key.js";
import { inStartOrder, startMs } from "./start-order.js";
import { joinPage, mergeChanges, wholePage } from "./trace-rows.js";
import { isUnfiltered, type TracesState } from "./traces-state.js";

/** At most five updates of the table a second. */
const APPLY_MS = 200;
/** Events of one step arrive as several messages; they are applied together. */
const BATCH_MS = 20;
/** The list and the counts are refreshed at most once a second, less often if that is slow. */
const RELOAD = { intervalMs: 1000, restFactor: 5 };
const RECOUNT = { intervalMs: 1000, restFactor: 20 };
/** Bars of the histogram, each about ten pixels wide at 1,440 pixels. */
const HISTOGRAM_BUCKETS = 120;
/** One array, so that nothing is rendered when it replaces itself. */
export const NO_ROWS: readonly TraceSummary[] = [];
/** How long rows do not move after the pointer moved. */
const POINTING_MS = 600;

export interface TraceFeedOptions {
  readonly api: CollectorApi;
  readonly get: () => TracesState;
  readonly set: (change: Partial<TracesState>) => void;
  readonly pages: ListPages;
  readonly schedule: (task: () => void, delayMs: number) => void;
  /** In milliseconds. */
  readonly now: () => number;
}

/** Keeps the list in sync with the collector. */
export interface TraceFeed {
  /** Fetches the newest traces and merges them into the list. */
  load(): Promise<void>;
  /** Refreshes the counts soon. */
  recount(): void;
  /** Refreshes the list soon. */
  reload(): void;
  onLive(event: LiveEvent): void;
  /** Fetches what may have changed while no events arrived. */
  onConnected(unchangedMs: number): void;
  keepRowsStill(): void;
  /** Applies the changes held back while paused. */
  resume(): void;
  /** Refreshes a list that could not be refreshed while the user read it. */
  catchUp(): void;
  /** Discards pending changes. */
  forget(): void;
}

/** Merges pages from the collector with live events. */
export function createTraceFeed({ api, get, set, pages, schedule, now }: TraceFeedOptions): TraceFeed {
  /** The latest changed summary of each row, until it is applied. */
  const waiting = new Map<string, TraceSummary>();
  /** Changes to visible rows, held back while paused. */
  const held = new Map<string, TraceSummary>();
  /** Changes during a request: its page may not contain them. */
  const sinceRequest = new Map<string, TraceSummary>();
  let applyScheduled = false;
  let appliedAtMs = Number.NEGATIVE_INFINITY;
  let isStale = false;
  /** Rows may be of traces that were evicted: only a whole new page tells which. */
  let hasEvicted = false;
  let keptBefore = Number.POSITIVE_INFINITY;
  let pointedAtMs = Number.NEGATIVE_INFINITY;

  const list = createRemoteData({
    async fetch(signal) {
      sinceRequest.clear();
      const { filters, order, phase, rows, arrivals } = get();
      const isFirst = phase !== "ready";
      const isRanked = order !== "start";
      const wanted = isFirst ? 0 : rows.length + arrivals.length;
      const limit = Math.min(MAX_PAGE_SIZE, Math.max(PAGE_SIZE, isHeld() || isRanked ? wanted : 0));
      return { page: await api.listTraces({ ...filters, order, limit }, signal), isFirst, isRanked };
    },
    onData({ page, isFirst, isRanked }) {
      const shown = isFirst ? { rows: [], arrivals: [], nextCursor: null } : get();
      const isWhole = isRanked || (hasEvicted && !isHeld());
      const { unknown, ...joined } = isWhole ? wholePage(page) : joinPage(shown, page, isHeld());
      const arrivedCount = get().arrivedCount + (isFirst ? 0 : unknown);
      if (isFirst || isWhole) hasEvicted = false;
      if (isFirst || isWhole) pages.forget();
      else if (!joined.hasGap)
        pages.begin(joined.rows[page.traces.length - joined.arrivals.length], page.next_cursor);
      set({ ...joined, above: 0, arrivedCount, phase: "ready", error: undefined });
      isStale = false;
      for (const [key, row] of sinceRequest) waiting.set(key, row);
      if (sinceRequest.size > 0) scheduleApply();
      if (isFirst) void counts.load();
      else counts.invalidate();
    },
    onError(error) {
      // The shown rows stay while the collector is away.
      set({ error, ...(get().phase === "ready" ? {} : { phase: "error", rows: [], arrivals: [] }) });
    },
    refresh: RELOAD,
    canRefresh() {
      const { paused, order } = get();
      // In another order than that of starts, rows would move while the user reads.
      const canMove = !paused && !isFarDown() && (order === "start" || !isHeld());
      if (!canMove) isStale = true;
      return canMove;
    },
    schedule,
    now,
  });

  const counts = createRemoteData({
    async fetch(signal) {
      const { filters } = get();
      const histogramFilters = omit(omit(filters, "since"), "until");
      await Promise.all([
        api.getFacets(filters, signal).then((facets) => signal.aborted || set({ facets })),
        fetchClipped(
          (range) => api.getHistogram({ ...histogramFilters, ...range }, HISTOGRAM_BUCKETS, signal),
          filters,
        ).then((histogram) => signal.aborted || set({ histogram })),
      ]);
    },
    onData: () => undefined,
    // The list reports the error; slightly old counts are still useful.
    onError: () => undefined,
    refresh: RECOUNT,
    schedule,
    now,
  });

  /** Whether the newest rows were let go: the list is refreshed when the user returns to them. */
  function isFarDown(): boolean {
    const { above, phase } = get();
    return above > 0 && phase === "ready";
  }

  /** Fetches the newest traces, unless the user is far from them. */
  async function load(): Promise<void> {
    if (isFarDown()) {
      isStale = true;
      counts.invalidate();
    } else await list.load();
  }

  /** Whether arrivals wait: the user is not at the top, or has paused. */
  function isHeld(): boolean {
    const { paused, following } = get();
    return paused || !following;
  }

  function scheduleApply(): void {
    if (applyScheduled) return;
    applyScheduled = true;
    // Soon if the last update is long ago: waiting a full interval would make every second update twice as large, and
    // late.
    schedule(apply, Math.max(BATCH_MS, appliedAtMs + APPLY_MS - now()));
  }

  function apply(): void {
    applyScheduled = false;
    appliedAtMs = now();
    const state = get();
    const isPointing = !isHeld() && now() - pointedAtMs < POINTING_MS;
    if (isPointing) {
      scheduleApply();
      return;
    }
    const changes = new Map(waiting);
    waiting.clear();
    if (state.paused) {
      for (const row of state.rows) {
        const key = rowKeyOf(row);
        const newer = changes.get(key);
        if (newer === undefined) continue;
        held.set(key, newer);
        changes.delete(key);
      }
    }
    const merged = mergeChanges(state, changes, state.filters, newSinceMs(state));
    const { fresh, isUnsure } = merged;
    if (state.order !== "start") {
      // Only the collector knows the new position of a trace.
      set({ rows: merged.rows, arrivedCount: state.arrivedCount + fresh.length });
      if (changes.size > 0) list.invalidate();
      return;
    }
    const arrivals = inStartOrder([...fresh, ...merged.arrivals]);
    const arrivedCount = state.arrivedCount + fresh.length;
    if (isHeld()) {
      // What does not fit is fetched when the arrivals are shown.
      const hasGap = state.hasGap || arrivals.length > MAX_ROWS;
      set({
        rows: merged.rows,
        arrivals: asBefore(arrivals.slice(0, MAX_ROWS), state.arrivals),
        hasGap,
        arrivedCount,
      });
    } else {
      const rows = asBefore(inStartOrder([...arrivals, ...merged.rows]), merged.rows);
      set({ rows, arrivals: NO_ROWS, arrivedCount });
    }
    if (isUnsure || get().rows.length > MAX_ROWS) list.invalidate();
    if (fresh.length > 0) counts.invalidate();
  }

  /** Unknown traces that started before may be further down, or were let go. */
  function newSinceMs({ above, nextCursor, rows }: TracesState): number {
    if (above > 0) return pages.newestReleasedMs + 1;
    const last = nextCursor === null ? undefined : rows.at(-1);
    return last === undefined ? Number.NEGATIVE_INFINITY : startMs(last);
  }

  /** Refreshes a list that has rows of evicted traces. */
  function forgetEvicted(kept: number): void {
    // A page may be newer than a status in flight: only two statuses in a row are trusted.
    const believed = Math.max(kept, keptBefore);
    keptBefore = kept;
    const { filters, paused, phase, nextCursor, rows, arrivals, above } = get();
    if (phase !== "ready" || paused || nextCursor !== null || above > 0 || !isUnfiltered(filters)) return;
    if (rows.length + arrivals.length <= believed || hasEvicted) return;
    hasEvicted = true;
    list.invalidate();
  }

  return {
    load,
    recount: () => counts.invalidate(),
    reload: () => list.invalidate(),
    keepRowsStill() {
      pointedAtMs = now();
    },
    resume() {
      for (const [key, row] of held) if (!waiting.has(key)) waiting.set(key, row);
      held.clear();
      if (isStale && !isFarDown()) void list.load();
      else apply();
    },
    catchUp() {
      if (hasEvicted || (isStale && get().order !== "start")) list.invalidate();
    },
    forget() {
      pages.forget();
      waiting.clear();
      held.clear();
    },
    onConnected(unchangedMs) {
      if (list.isAskedWithin(unchangedMs)) return;
      // Without a request before, there is nothing that could lack a trace.
      if (list.isLoading() || get().phase !== "loading") void load();
    },
    onLive(event) {
      switch (event.type) {
        case "reset":
          isStale = true;
          if (!get().paused) list.invalidate();
          return;
        case "trace": {
          const key = rowKeyOf(event.data);
          if (list.isLoading()) sinceRequest.set(key, event.data);
          waiting.set(key, event.data);
          scheduleApply();
          return;
        }
        case "status": {
          const { store } = event.data;
          // A file has a size; without one, the collector has just started and has not counted its traces yet.
          if (store?.disk_bytes !== 0) forgetEvicted(store?.traces ?? 0);
          return;
        }
        case "metrics":
        case "evaluation":
      }
    },
  };
}

/** Returns the previous array if nothing changed, to avoid rendering. */
export function asBefore(
  rows: readonly TraceSummary[],
  before: readonly TraceSummary[],
): readonly TraceSummary[] {
  return rows.length === before.length && rows.every((row, index) => row === before[index]) ? before : rows;
}
