import type { ClosedStep } from "../../../interfaces.js";
import type { SqlDatabase, SqlRow } from "../driver/sqlite-driver.js";
import { checksumOfRow } from "../records/sealed.js";

/** Time for which steps of each length are kept (contract 3). */
const KEPT_SECONDS: Readonly<Record<number, number>> = { 10: 3600, 60: 24 * 3600 };
const MAX_PAGE_BYTES = 256 * 1024;
/** Steps of a page, before their bytes are counted. */
const MAX_PAGE_STEPS = 64;

const SQL = {
  put: "INSERT OR REPLACE INTO stats_step (resolution, start_s, format, checksum, data) VALUES (?, ?, ?, ?, ?)",
  // The step at the beginning of the kept time is a part of it.
  expire: "DELETE FROM stats_step WHERE resolution = ?1 AND start_s < ?2 - ?1",
  page:
    "SELECT resolution, start_s, format, checksum, data FROM stats_step WHERE resolution = ? AND start_s >= 0 AND start_s < ? " +
    "ORDER BY start_s DESC LIMIT ?",
  all: "SELECT resolution, start_s, format, checksum, data FROM stats_step",
} as const;

/** Writes steps, and removes those that are too old beside them. */
export function writeStatsSteps(db: SqlDatabase, steps: readonly ClosedStep[]): void {
  const put = db.prepare(SQL.put);
  let newestSeconds = 0;
  for (const { resolutionSeconds, startSeconds, format, data } of steps) {
    const numbers = [resolutionSeconds, startSeconds, format] as const;
    put.run(...numbers, checksumOfRow(numbers, data), data);
    newestSeconds = Math.max(newestSeconds, startSeconds);
  }
  const expire = db.prepare(SQL.expire);
  for (const [resolution, seconds] of Object.entries(KEPT_SECONDS))
    expire.run(Number(resolution), newestSeconds - seconds);
}

/** Called with the start of a step that is damaged. It is left out. */
export type OnDamagedStep = (startSeconds: number) => void;

/** Some of the steps of one length that began before a time, the newest first; empty after the last one. */
export function readStatsSteps(
  db: SqlDatabase,
  {
    resolutionSeconds,
    beforeSeconds,
  }: { readonly resolutionSeconds: number; readonly beforeSeconds: number },
  onDamaged: OnDamagedStep,
): ClosedStep[] {
  for (let before = beforeSeconds; ;) {
    const rows = db.prepare(SQL.page).all(resolutionSeconds, before, MAX_PAGE_STEPS);
    if (rows.length === 0) return [];
    const page = firstBytes(soundSteps(rows, onDamaged));
    if (page.length > 0) return page;
    before = Number(rows.at(-1)?.["start_s"]);
  }
}

/** The first steps that fit a page, at least one. */
function firstBytes(steps: Iterable<ClosedStep>): ClosedStep[] {
  const page: ClosedStep[] = [];
  let bytes = 0;
  for (const step of steps) {
    bytes += step.data.length;
    if (page.length > 0 && bytes > MAX_PAGE_BYTES) break;
    page.push(step);
  }
  return page;
}

/** Every step of the file. */
export function allStatsSteps(db: SqlDatabase, onDamaged: OnDamagedStep): ClosedStep[] {
  return soundSteps(db.prepare(SQL.all).all(), onDamaged);
}

function soundSteps(rows: readonly SqlRow[], onDamaged: OnDamagedStep): ClosedStep[] {
  return rows.flatMap((row) => {
    if (isSoundStep(row)) return [toStep(row)];
    onDamaged(Number(row["start_s"]));
    return [];
  });
}

/** True if a row of the table `stats_step` is what was written. Rows of version 3 have no checksum. */
export function isSoundStep({ resolution, start_s, format, checksum = null, data }: SqlRow): boolean {
  if (checksum === null) return true;
  const numbers = [resolution, start_s, format].map(Number);
  return data instanceof Uint8Array && checksum === checksumOfRow(numbers, data);
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
