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

/** Traces that are read at once: those of a large file do not fit into memory. */
const TRACES_PER_READ = 1000;

function countSpans(db: SqlDatabase): number {
  const page = db.prepare("SELECT seq, spans FROM trace_detail WHERE seq > ? ORDER BY seq LIMIT ?");
  let count = 0;
  let last = 0;
  for (;;) {
    const rows = page.all(last, TRACES_PER_READ);
    for (const { seq, spans } of rows) {
      last = Number(seq);
      try {
        const places = decodePlaces(spans);
        count += places.spans.length + places.evaluations.length;
      } catch (error) {
        // These spans are left out.
        if (!(error instanceof DamageError)) throw error;
      }
    }
    if (rows.length < TRACES_PER_READ) return count;
  }
}
