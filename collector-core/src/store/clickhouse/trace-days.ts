import type { TraceKey } from "../../interfaces.js";
import type { Database } from "./database.js";
import { DAY_MS } from "./schema.js";
import { keyOf, keysParameter, KEYS_PER_DELETE, OF_KEYS, type KeyColumns } from "./trace-keys.js";

/** Collectors that write the first spans of a trace at the same time: their spans arrived that close to midnight, but for long outages. */
const NEAR_MS = 3_600_000;

const ON_TWO_DAYS = `SELECT tenant, trace_id, intDiv(min(first_received_ms), ${DAY_MS}) AS day FROM traces WHERE ${OF_KEYS}
GROUP BY tenant, trace_id HAVING intDiv(max(first_received_ms), ${DAY_MS}) > day`;
const LATER_ROWS = `DELETE FROM traces WHERE ${OF_KEYS} AND first_received_ms >= {next_day_ms:Int64}`;

/**
 * Whether a trace may have a row on a later day than the one that was just written: another collector knew its later spans only, and
 * rows of two days never replace each other.
 *
 * @param knownMs - the latest day that the trace had a row on before; undefined if it had none.
 */
export function mayHaveLaterRow(firstMs: number, knownMs: number | undefined): boolean {
  if (knownMs !== undefined) return dayOf(knownMs) > dayOf(firstMs);
  return dayOf(firstMs - NEAR_MS) !== dayOf(firstMs + NEAR_MS);
}

/** Removes the rows of traces that are on a later day than their first. */
export async function removeLaterRows(
  database: Pick<Database, "rows" | "run">,
  keys: readonly TraceKey[],
  signal?: AbortSignal,
): Promise<void> {
  if (keys.length === 0) return;
  const found = await database.rows<KeyColumns & { day: number }>(
    ON_TWO_DAYS,
    { keys: keysParameter(keys) },
    signal,
  );
  for (const day of new Set(found.map((row) => row.day))) {
    const ofDay = found.filter((row) => row.day === day).map(keyOf);
    for (let from = 0; from < ofDay.length; from += KEYS_PER_DELETE) {
      const keysOfDay = keysParameter(ofDay.slice(from, from + KEYS_PER_DELETE));
      await database.run(LATER_ROWS, { keys: keysOfDay, next_day_ms: (day + 1) * DAY_MS }, signal);
    }
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
