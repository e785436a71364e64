import type { TraceList, TraceSummary } from "@obspan/collector-core/api-schema";
import { asCollectorError, type CollectorApi } from "../api/collector-api.js";
import { MAX_ROWS, type ListPages, type ReleasedPage } from "./list-pages.js";
import { rowKeyOf } from "./trace-key.js";
import type { TracesState } from "./traces-state.js";

/** Rows per page; more are fetched while scrolling. */
export const PAGE_SIZE = 200;
/** Most rows in one answer: the collector's limit. */
export const MAX_PAGE_SIZE = 1000;

export interface PageLoaderOptions {
  readonly api: Pick<CollectorApi, "listTraces">;
  readonly get: () => TracesState;
  readonly set: (change: Partial<TracesState>) => void;
  readonly pages: ListPages;
  /** The collector does not know the cursor: the list is fetched again. */
  readonly onInvalidCursor: () => void;
}

/** Fetches the pages that the user scrolls to. */
export interface PageLoader {
  /** Fetches the page after the rows. */
  loadOlder(): Promise<void>;
  /** Fetches the page that was let go at this index, counted from the newest row of the list. */
  loadReleased(index: number): Promise<void>;
}

export function createPageLoader({ api, get, set, pages, onInvalidCursor }: PageLoaderOptions): PageLoader {
  async function ask(cursor: string | undefined, limit: number): Promise<TraceList> {
    const { filters, order } = get();
    return await api.listTraces({ ...filters, order, limit, ...(cursor === undefined ? {} : { cursor }) });
  }

  /** Runs one request at a time. Its result is dropped if the list has changed meanwhile. */
  async function load(request: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    const { filters, order, phase, isLoadingMore } = get();
    if (isLoadingMore || phase !== "ready") return;
    set({ isLoadingMore: true });
    const isCurrent = (): boolean => {
      const now = get();
      return now.filters === filters && now.order === order && now.phase === "ready";
    };
    try {
      await request(isCurrent);
    } catch (error) {
      if (!isCurrent()) return;
      const known = asCollectorError(error);
      set({ error: known });
      // The cursor belongs to the collector before a restart.
      if (known.code === "invalid_query") onInvalidCursor();
    } finally {
      set({ isLoadingMore: false });
    }
  }

  /** The rows of a page that was let go, up to the rows in memory. */
  async function rowsBefore(
    page: ReleasedPage,
    known: ReadonlySet<string>,
  ): Promise<{ rows: TraceSummary[]; starts: [TraceSummary, string][] }> {
    const rows: TraceSummary[] = [];
    const starts: [TraceSummary, string][] = [];
    for (let cursor = page.cursor, left = page.count; rows.length < MAX_ROWS; left -= MAX_PAGE_SIZE) {
      const { traces, next_cursor: next } = await ask(cursor, pageSize(left));
      const end = traces.findIndex((row) => known.has(rowKeyOf(row)));
      const [first] = traces;
      if (first !== undefined && end !== 0 && cursor !== undefined) starts.push([first, cursor]);
      rows.push(...(end === -1 ? traces : traces.slice(0, end)));
      if (end !== -1 || next === null) break;
      cursor = next;
    }
    return { rows, starts };
  }

  return {
    async loadOlder() {
      const { nextCursor: cursor } = get();
      if (cursor === null) return;
      await load(async (isCurrent) => {
        const { traces, next_cursor: nextCursor } = await ask(cursor, PAGE_SIZE);
        if (!isCurrent() || get().nextCursor !== cursor) return;
        const known = keysOf(get());
        const more = traces.filter((row) => !known.has(rowKeyOf(row)));
        pages.begin(more[0], cursor);
        const rows = pages.releaseNewest([...get().rows, ...more]);
        set({ rows, above: pages.above, nextCursor, error: undefined });
      });
    },

    async loadReleased(index) {
      const found = pages.releasedAt(index);
      if (found === undefined) return;
      const { page, isLast } = found;
      await load(async (isCurrent) => {
        if (isLast) {
          const { rows: newer, starts } = await rowsBefore(page, new Set(get().rows.map(rowKeyOf)));
          if (!isCurrent() || pages.releasedAt(index)?.page !== page) return;
          pages.restored(page);
          for (const [row, cursor] of starts) pages.begin(row, cursor);
          const { rows, nextCursor } = get();
          const known = keysOf(get());
          const fresh = newer.filter((row) => !known.has(rowKeyOf(row)));
          const kept = pages.releaseOldest({ rows: [...fresh, ...rows], nextCursor });
          set({ ...kept, above: pages.above, error: undefined });
        } else {
          const { traces, next_cursor: nextCursor } = await ask(page.cursor, pageSize(page.count));
          if (!isCurrent() || pages.releasedAt(index)?.page !== page) return;
          pages.restored(page);
          const waiting = new Set(get().arrivals.map(rowKeyOf));
          const rows = traces.filter((row) => !waiting.has(rowKeyOf(row)));
          pages.begin(rows[0], page.cursor);
          set({ rows, nextCursor, above: pages.above, error: undefined });
        }
      });
    },
  };
}

function keysOf({ rows, arrivals }: TracesState): ReadonlySet<string> {
  return new Set([...rows, ...arrivals].map(rowKeyOf));
}

function pageSize(rows: number): number {
  return Math.max(PAGE_SIZE, Math.min(MAX_PAGE_SIZE, rows));
}
