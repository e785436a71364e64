import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { countRows, knownCounts, type FileCounts } from "../file/file-counts.js";
import { DamageError } from "../records/sealed.js";
import { decodePlaces } from "./span-places.js";

/** The counts of a file. What it does not know, or not any more, is counted. */
export function storedCounts(db: SqlDatabase): FileCounts {
  return (
    knownCounts(db) ?? {
      traces: countRows(db, "trace"),
      spans: countSpans(db),
      evicted: countRows(db, "evicted"),
    }
  );
}

function countSpans(db: SqlDatabase): number {
  let count = 0;
  for (const { spans } of db.prepare("SELECT spans FROM trace_detail").all()) {
    if (!(spans instanceof Uint8Array)) continue;
    try {
      const places = decodePlaces(spans);
      count += places.spans.length + places.evaluations.length;
    } catch (error) {
      // These spans are left out.
      if (!(error instanceof DamageError)) throw error;
    }
  }
  return count;
}
