import type { TraceList, TraceSummary } from "@obspan/collector-core/api-schema";
import type { TraceFilters } from "../api/collector-api.js";
import { MAX_ROWS } from "./list-pages.js";
import { startMs } from "./start-order.js";
import { rowKeyOf } from "./trace-key.js";

/** The rows of the table, and the arrivals among them. Both with the latest start first. */
export interface TraceRows {
  readonly rows: readonly TraceSummary[];
  /** Arrivals that wait behind the "N new" pill. */
  readonly arrivals: readonly TraceSummary[];
}

/** Result of {@link mergeChanges}. */
export interface Merged extends TraceRows {
  /** New traces, the last to arrive first. They are in neither list yet. */
  readonly fresh: readonly TraceSummary[];
  /** Whether a changed trace may belong to the list: only the collector knows. */
  readonly isUnsure: boolean;
}

/**
 * Replaces changed summaries. Rows that no longer match the filters are removed.
 *
 * @param changes - by row key.
 * @param newSinceMs - an unknown trace that started before may be one that is not in memory.
 */
export function mergeChanges(
  { rows, arrivals }: TraceRows,
  changes: ReadonlyMap<string, TraceSummary>,
  filters: TraceFilters,
  newSinceMs: number,
): Merged {
  const unknown = new Map(changes);
  const unsure: TraceSummary[] = [];
  const update = (row: TraceSummary): TraceSummary | undefined => {
    const key = rowKeyOf(row);
    const newer = changes.get(key);
    if (newer === undefined) return row;
    unknown.delete(key);
    const match = matches(newer, filters);
    // A change may have ended a condition of the query.
    if (match === "unsure" && filters.query !== undefined) unsure.push(newer);
    return match === "no" ? undefined : newer;
  };
  const merged = { rows: updateAll(rows, update), arrivals: updateAll(arrivals, update) };

  const chosen = [...unknown.values()].filter((row) => matches(row, filters) !== "no").toReversed();
  const fresh = chosen.filter((row) => matches(row, filters) === "yes" && startMs(row) >= newSinceMs);
  return { ...merged, fresh, isUnsure: unsure.length > 0 || fresh.length < chosen.length };
}

/** Result of {@link joinPage}. */
export interface Joined extends TraceRows {
  readonly nextCursor: string | null;
  /** More traces arrived than the page contains; showing them needs another request. */
  readonly hasGap: boolean;
  /** Number of new traces in the page. */
  readonly unknown: number;
}

/**
 * Merges a refreshed first page into the list. Visible rows stay in place, so that new ones between them wait as well.
 *
 * @param isHeld - arrivals wait, because the user has scrolled down or paused.
 */
export function joinPage(
  shown: TraceRows & { readonly nextCursor: string | null },
  page: TraceList,
  isHeld: boolean,
): Joined {
  const { traces, next_cursor: pageCursor } = page;
  const known = new Set(shown.rows.map(rowKeyOf));
  const waiting = new Set(shown.arrivals.map(rowKeyOf));
  const keys = traces.map(rowKeyOf);
  const unknown = keys.filter((key) => !known.has(key) && !waiting.has(key)).length;
  const lastKnown = keys.findLastIndex((key) => known.has(key));

  if (isHeld && lastKnown === -1 && pageCursor !== null && known.size > 0) {
    return { rows: shown.rows, arrivals: traces, nextCursor: shown.nextCursor, hasGap: true, unknown };
  }
  const inPage = new Set(keys);
  const last = traces.at(-1);
  // If the page is the last one, rows missing from it are gone.
  const isOlder = (row: TraceSummary): boolean =>
    pageCursor !== null && last !== undefined && startMs(row) <= startMs(last) && !inPage.has(rowKeyOf(row));
  const waits = ({ at, key }: { at: number; key: string }): boolean =>
    isHeld && at < lastKnown && !known.has(key);
  const placed = traces.map((row, at) => ({ row, waits: waits({ at, key: rowKeyOf(row) }) }));
  const older = lastKnown === -1 ? [] : shown.rows.filter(isOlder);
  const rows = [...placed.flatMap((each) => (each.waits ? [] : [each.row])), ...older];
  // At the top, the rows beyond the page are fetched again when the user scrolls to them.
  if (rows.length > MAX_ROWS && !isHeld)
    return { rows: traces, arrivals: [], nextCursor: pageCursor, hasGap: false, unknown };
  return {
    rows,
    arrivals: [
      ...placed.flatMap((each) => (each.waits ? [each.row] : [])),
      ...(isHeld ? shown.arrivals.filter(isOlder) : []),
    ],
    nextCursor: older.length > 0 ? shown.nextCursor : pageCursor,
    hasGap: false,
    unknown,
  };
}

/** A page that replaces the list. */
export function wholePage({ traces, next_cursor: nextCursor }: TraceList): Joined {
  return { rows: traces, arrivals: [], nextCursor, hasGap: false, unknown: 0 };
}

/**
 * Whether a summary matches the filters. A trace has several services and agents, but its summary names only the
 * root's. If those differ, and for text, only the collector knows.
 */
export function matches(row: TraceSummary, filters: TraceFilters): "yes" | "no" | "unsure" {
  const { trace_id, tenant, service, env, agent, model, status, root_name, q, query } = filters;
  if (trace_id !== undefined && row.trace_id !== trace_id) return "no";
  if (tenant !== undefined && row.tenant !== tenant) return "no";
  if (status !== undefined && row.status !== status) return "no";
  if (model !== undefined && !row.models.includes(model)) return "no";
  if (root_name !== undefined && row.root_name !== root_name) return "no";
  if (!isInTime(row, filters)) return "no";
  const isSure =
    q === undefined &&
    query === undefined &&
    filters.span_type === undefined &&
    filters.has_evaluation === undefined &&
    (service === undefined || row.service === service) &&
    (env === undefined || row.env === env) &&
    (agent === undefined || row.agent === agent);
  return isSure ? "yes" : "unsure";
}

function isInTime(row: TraceSummary, { since, until, min_duration_ms: minMs }: TraceFilters): boolean {
  const start = startMs(row);
  // The collector refuses invalid times.
  if (since !== undefined && start < Date.parse(since)) return false;
  if (until !== undefined && start >= Date.parse(until)) return false;
  return minMs === undefined || !(row.duration_ms < Number(minMs));
}

/** Returns the same array if nothing changed, to avoid rendering. */
function updateAll(
  rows: readonly TraceSummary[],
  update: (row: TraceSummary) => TraceSummary | undefined,
): readonly TraceSummary[] {
  let isChanged = false;
  const updated: TraceSummary[] = [];
  for (const row of rows) {
    const newer = update(row);
    isChanged ||= newer !== row;
    if (newer !== undefined) updated.push(newer);
  }
  return isChanged ? updated : rows;
}
