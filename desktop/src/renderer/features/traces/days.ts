import type { TraceSummary } from "@obspan/collector-core/api-schema";

/** Whether a time is today, in the local time zone. */
export function isToday(rfc3339: string, now = new Date()): boolean {
  return new Date(rfc3339).toDateString() === now.toDateString();
}

/** `Thursday 12 November`; with the year if it is not the current one. */
export function dayTitle(rfc3339: string, now = new Date()): string {
  const time = new Date(rfc3339);
  return (time.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(time).replace(",", "");
}

const LONG_DAY = { weekday: "long", day: "numeric", month: "long" } as const;
const DAY = new Intl.DateTimeFormat("en-GB", LONG_DAY);
const DAY_AND_YEAR = new Intl.DateTimeFormat("en-GB", { ...LONG_DAY, year: "numeric" });

/**
 * Indices of the rows that begin a day. A row that alone is of another day than its neighbours begins none: rows do not
 * move while the user reads, and each names its own day.
 *
 * @param before - the day above the first row; undefined if it is not known.
 */
export function dayStarts(rows: readonly TraceSummary[], before: number | undefined): number[] {
  const starts: number[] = [];
  let current = before;
  for (const [index, row] of rows.entries()) {
    const day = dayOf(row);
    if (day === current) continue;
    const next = rows[index + 1];
    if (current !== undefined && next !== undefined && dayOf(next) !== day) continue;
    if (index > 0 || before !== undefined) starts.push(index);
    current = day;
  }
  return starts;
}

/** Whether a row is of another day than today. */
export function hasOtherDay(rows: readonly TraceSummary[], now = new Date()): boolean {
  const today = dayNumber(now);
  return rows.some((row) => dayOf(row) !== today);
}

/** A number for each local day. */
export function dayNumber(time: Date): number {
  return (time.getFullYear() * 12 + time.getMonth()) * 31 + time.getDate();
}

/** Thousands of rows are asked several times a second. */
const days = new WeakMap<TraceSummary, number>();

function dayOf(row: TraceSummary): number {
  let day = days.get(row);
  if (day === undefined) {
    day = dayNumber(new Date(row.start_time));
    days.set(row, day);
  }
  return day;
}
