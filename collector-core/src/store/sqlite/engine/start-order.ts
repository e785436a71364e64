import type { Clock } from "../../../runtime/clock.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import type { ListPosition } from "../../traces/list-cursor.js";
import type { SqlDatabase } from "../driver/sqlite-driver.js";
import type { SqlCondition } from "./condition-sql.js";
import { TRACES_PER_BLOCK, type StartBlock, type StartBounds } from "./start-bounds.js";
import type { RankedRow } from "./text-queries.js";

/** Blocks that are read with one statement, if the first ones do not have a whole page. */
const MAX_BLOCKS = 64;

/** Options of {@link latestStarts}. */
export interface LatestStartsOptions {
  readonly db: SqlDatabase;
  readonly bounds: StartBounds;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * The traces with the latest start that meet a condition, ties by arrival. Reads blocks of traces until no other block can have
 * a trace of the page.
 *
 * @param after - the last trace of the page before, which the condition leaves out.
 */
export async function latestStarts(
  { db, bounds, clock }: LatestStartsOptions,
  condition: SqlCondition,
  { after, count }: { readonly after: ListPosition | undefined; readonly count: number },
  signal: AbortSignal,
): Promise<RankedRow[]> {
  const timeSlice = new TimeSlice(clock, signal);
  const read = db.prepare(
    `SELECT t.seq AS seq, t.start_ms AS value FROM trace t WHERE ${condition.sql} AND t.seq >= ? AND t.seq < ? ` +
      "ORDER BY t.start_ms DESC, t.seq DESC LIMIT ?",
  );
  const known = await bounds.latestFirst(timeSlice);
  signal.throwIfAborted();
  const left = known.filter(({ earliestMs }) => after === undefined || earliestMs <= after.value);
  let found: RankedRow[] = [];
  let blocks = 1;
  for (let at = 0; at < left.length; blocks = Math.min(MAX_BLOCKS, blocks * 2)) {
    const last = found[count - 1];
    // One that starts at the same time may have arrived later.
    if (last !== undefined && last.value > (left[at] as StartBlock).latestMs) break;
    const { from, to, next } = neighbours(left, at, blocks);
    const rows = read
      .all(...condition.parameters, from * TRACES_PER_BLOCK, to * TRACES_PER_BLOCK, count)
      .map((row) => ({ sequence: Number(row["seq"]), value: Number(row["value"]) }));
    found = [...found, ...rows].sort((a, b) => b.value - a.value || b.sequence - a.sequence).slice(0, count);
    at = next;
    if (timeSlice.isOver()) await timeSlice.next();
  }
  return found;
}

/** The blocks from an index on that are beside each other in the file: `to` and `next` are exclusive. */
function neighbours(
  blocks: readonly StartBlock[],
  at: number,
  max: number,
): { readonly from: number; readonly to: number; readonly next: number } {
  let from = (blocks[at] as StartBlock).block;
  let to = from + 1;
  let next = at + 1;
  for (; next < blocks.length && next - at < max; next++) {
    const { block } = blocks[next] as StartBlock;
    if (block === from - 1) from--;
    else if (block === to) to++;
    else break;
  }
  return { from, to, next };
}
