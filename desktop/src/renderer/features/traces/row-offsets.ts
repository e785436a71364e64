/** Row height, `--row` in tokens.css. */
export const ROW_PX = 32;
/** Height of the line that names a day. */
export const DAY_PX = 28;

/** Positions of the rows in memory, from the top of the whole list. */
export interface RowOffsets {
  /** Height of the rows above that were let go. */
  readonly abovePx: number;
  /** Top of a row, or of the line that names its day. */
  topOf(index: number): number;
  /** With the line that names the day, if there is one. */
  readonly heightOf: (index: number) => number;
  /** The row at a position; -1 above the rows. */
  indexAt(top: number): number;
  startsDay(index: number): boolean;
}

/**
 * @param above - number of rows that were let go.
 * @param dayStarts - ascending indices of the rows that begin a day.
 */
export function rowOffsets(above: number, dayStarts: readonly number[]): RowOffsets {
  const abovePx = above * ROW_PX;
  const days = new Set(dayStarts);
  const topOf = (index: number): number => abovePx + index * ROW_PX + countBelow(dayStarts, index) * DAY_PX;
  return {
    abovePx,
    topOf,
    heightOf: (index) => (days.has(index) ? ROW_PX + DAY_PX : ROW_PX),
    indexAt(top) {
      if (top < abovePx) return -1;
      // Without days; each day moves the rows after it further down.
      let index = Math.floor((top - abovePx) / ROW_PX);
      while (index > 0 && topOf(index) > top)
        index -= Math.max(1, Math.floor((topOf(index) - top) / (ROW_PX + DAY_PX)));
      return index;
    },
    startsDay: (index) => days.has(index),
  };
}

/** Number of entries smaller than a value. */
function countBelow(ascending: readonly number[], value: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ascending[middle] ?? value) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
