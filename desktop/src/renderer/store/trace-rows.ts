import type { TraceList, TraceSummary } from "@obspan/collector-core/api-schema";
import type { TraceFilters } from "../api/collector-api.js";
import { indexOfRow, rowKeyOf } from "./trace-key.js";

/** Rows held at most: what the collector keeps by default. Beyond it the oldest go. */
export const MAX_ROWS = 10_000;

/** What the table shows, and what waits above it. Both newest first. */
export interface TraceRows {
  readonly rows: readonly TraceSummary[];
  /** Arrivals that wait behind the "N new" pill. */
  readonly arrivals: readonly TraceSummary[];
}

/** What {@link mergeChanges} makes of changed summaries. */
export interface Merged extends TraceRows {
  /** Traces that were not known, newest first. They stand in neither list yet. */
  readonly fresh: readonly TraceSummary[];
  /** A changed trace may belong here, or be an older one that was not fetched yet: only the collector knows. */
  readonly isUnsure: boolean;
}

/**
 * Puts changed summaries in the place of the earlier ones. A row that the filters no longer choose goes.
 *
 * @param changes - by the key of their row.
 * @param hasOlder - the collector has older traces than the rows.
 */
export function mergeChanges(
  { rows, arrivals }: TraceRows,
  changes: ReadonlyMap<string, TraceSummary>,
  filters: TraceFilters,
  hasOlder: boolean,
): Merged {
  const unknown = new Map(changes);
  const update = (row: TraceSummary): TraceSummary | undefined => {
    const key = rowKeyOf(row);
    const newer = changes.get(key);
    if (newer === undefined) return row;
    unknown.delete(key);
    return matches(newer, filters) === "no" ? undefined : newer;
  };
  const merged = { rows: updateAll(rows, update), arrivals: updateAll(arrivals, update) };

  const oldestMs = hasOlder ? startMs(rows.at(-1)) : Number.NEGATIVE_INFINITY;
  const chosen = [...unknown.values()].filter((row) => matches(row, filters) !== "no").toReversed();
  const fresh = chosen.filter((row) => matches(row, filters) === "yes" && startMs(row) >= oldestMs);
  return { ...merged, fresh, isUnsure: fresh.length < chosen.length };
}

/** What {@link joinPage} makes of a page that was fetched anew. */
export interface Joined extends TraceRows {
  readonly nextCursor: string | null;
  /** More arrived than the page holds: showing the arrivals takes a fetch of its own. */
  readonly hasGap: boolean;
  /** How many of the page were not known. */
  readonly unknown: number;
}

/**
 * Joins the newest traces, fetched anew, with what is shown. Rows that the reader looks at stay where they are.
 *
 * @param isHeld - arrivals wait: the reader has scrolled away from the top, or paused.
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
  const firstKnown = keys.findIndex((key) => known.has(key));

  if (isHeld && firstKnown === -1 && pageCursor !== null && known.size > 0) {
    return { rows: shown.rows, arrivals: traces, nextCursor: shown.nextCursor, hasGap: true, unknown };
  }
  const held = isHeld && firstKnown > 0 ? firstKnown : 0;
  const last = keys.at(-1);
  const lastAt = last === undefined ? -1 : indexOfRow(shown.rows, last);
  // Where the page is the last one, what it does not name is gone.
  const older = pageCursor === null || lastAt === -1 ? [] : shown.rows.slice(lastAt + 1);
  return {
    rows: [...traces.slice(held), ...older].slice(0, MAX_ROWS),
    arrivals: traces.slice(0, held),
    nextCursor: older.length > 0 ? shown.nextCursor : pageCursor,
    hasGap: false,
    unknown,
  };
}

/** A page in another order than that of arrival, fetched anew: it takes the place of what is shown. */
export function rankedPage({ traces, next_cursor: nextCursor }: TraceList): Joined {
  return { rows: traces, arrivals: [], nextCursor, hasGap: false, unknown: 0 };
}

/**
 * Whether a summary belongs to the list. A trace goes through several services and agents, and its summary names the
 * root's: where that is another one than wanted, and for text, only the collector knows.
 */
export function matches(row: TraceSummary, filters: TraceFilters): "yes" | "no" | "unsure" {
  const { trace_id, tenant, service, env, agent, model, status, root_name, q } = filters;
  if (trace_id !== undefined && row.trace_id !== trace_id) return "no";
  if (tenant !== undefined && row.tenant !== tenant) return "no";
  if (status !== undefined && row.status !== status) return "no";
  if (model !== undefined && !row.models.includes(model)) return "no";
  if (root_name !== undefined && row.root_name !== root_name) return "no";
  if (!isInTime(row, filters)) return "no";
  const isSure =
    q === undefined &&
    filters.span_type === undefined &&
    filters.has_evaluation === undefined &&
    (service === undefined || row.service === service) &&
    (env === undefined || row.env === env) &&
    (agent === undefined || row.agent === agent);
  return isSure ? "yes" : "unsure";
}

function isInTime(row: TraceSummary, { since, until, min_duration_ms: minMs }: TraceFilters): boolean {
  const start = startMs(row);
  // A time that cannot be read is the collector's to refuse.
  if (since !== undefined && start < Date.parse(since)) return false;
  if (until !== undefined && start >= Date.parse(until)) return false;
  return minMs === undefined || !(row.duration_ms < Number(minMs));
}

/** The rows from one to another, whichever comes first, by key. */
export function keysBetween(rows: readonly TraceSummary[], from: number, to: number): string[] {
  return rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(rowKeyOf);
}

/** The same array where nothing changed, so that nothing is drawn again. */
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

function startMs(row: TraceSummary | undefined): number {
  return row === undefined ? Number.NEGATIVE_INFINITY : Date.parse(row.start_time);
}
