import type { ClosedStep } from "../../../interfaces.js";
import type { SqlDatabase, SqlRow } from "../driver/sqlite-driver.js";

/** Time for which steps of each length are kept (contract 3). */
const KEPT_SECONDS: Readonly<Record<number, number>> = { 10: 3600, 60: 24 * 3600 };
const MAX_PAGE_BYTES = 256 * 1024;
/** Steps of a page, before their bytes are counted. */
const MAX_PAGE_STEPS = 64;

const SQL = {
  put: "INSERT OR REPLACE INTO stats_step (resolution, start_s, format, data) VALUES (?, ?, ?, ?)",
  // The step at the beginning of the kept time is a part of it.
  expire: "DELETE FROM stats_step WHERE resolution = ?1 AND start_s < ?2 - ?1",
  page:
    "SELECT resolution, start_s, format, data FROM stats_step WHERE resolution = ? AND start_s < ? " +
    "ORDER BY start_s DESC LIMIT ?",
  all: "SELECT resolution, start_s, format, data FROM stats_step",
} as const;

/** Writes steps, and removes those that are too old beside them. */
export function writeStatsSteps(db: SqlDatabase, steps: readonly ClosedStep[]): void {
  const put = db.prepare(SQL.put);
  let newestSeconds = 0;
  for (const { resolutionSeconds, startSeconds, format, data } of steps) {
    put.run(resolutionSeconds, startSeconds, format, data);
    newestSeconds = Math.max(newestSeconds, startSeconds);
  }
  const expire = db.prepare(SQL.expire);
  for (const [resolution, seconds] of Object.entries(KEPT_SECONDS))
    expire.run(Number(resolution), newestSeconds - seconds);
}

/** Some of the steps of one length that began before a time, the newest first. */
export function readStatsSteps(
  db: SqlDatabase,
  resolutionSeconds: number,
  beforeSeconds: number,
): ClosedStep[] {
  const rows = db.prepare(SQL.page).all(resolutionSeconds, beforeSeconds, MAX_PAGE_STEPS);
  const page: ClosedStep[] = [];
  let bytes = 0;
  for (const step of rows.map(toStep)) {
    bytes += step.data.length;
    if (page.length > 0 && bytes > MAX_PAGE_BYTES) break;
    page.push(step);
  }
  return page;
}

/** Every step of the file. */
export function allStatsSteps(db: SqlDatabase): ClosedStep[] {
  return db.prepare(SQL.all).all().map(toStep);
}

function toStep(row: SqlRow): ClosedStep {
  const { data } = row;
  return {
    resolutionSeconds: Number(row["resolution"]),
    startSeconds: Number(row["start_s"]),
    format: Number(row["format"]),
    data: data instanceof Uint8Array ? data : new Uint8Array(),
  };
}
