import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { isCount, objectOf } from "../../traces/stored-shape.js";
import { DamageError, parseSealed, sealJson } from "../records/sealed.js";
import { readMeta } from "./meta.js";

/** How many rows there are, as the file remembers it: to count them takes as long as to read them. */
export interface FileCounts {
  readonly traces: number;
  /** Spans of all traces. */
  readonly spans: number;
  /** Rows of the table `evicted`. */
  readonly evicted: number;
}

const CONTEXT = "counts";
const isCounts = objectOf({ traces: isCount, spans: isCount, evicted: isCount });

/** The value of `counts` in the table `meta`. */
export function encodeCounts({ traces, spans, evicted }: FileCounts): string {
  return sealJson(JSON.stringify({ traces, spans, evicted }), CONTEXT);
}

/** The counts that a file remembers; undefined if it has none, or if they are damaged. */
export function knownCounts(db: SqlDatabase): FileCounts | undefined {
  const text = readMeta(db, "counts");
  if (typeof text !== "string") return undefined;
  try {
    const counts = parseSealed(text, CONTEXT, isCounts) as FileCounts;
    return counts.traces <= mostTraces(db) ? counts : undefined;
  } catch (error) {
    if (error instanceof DamageError) return undefined;
    throw error;
  }
}

/** No more traces than sequences from the first to the last one. */
function mostTraces(db: SqlDatabase): number {
  const row = db.prepare("SELECT (SELECT max(seq) FROM trace) - (SELECT min(seq) FROM trace) + 1 AS n").get();
  return Number(row?.["n"] ?? 0);
}

export function countRows(db: SqlDatabase, table: "trace" | "evicted"): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
}
