import { dirname } from "node:path";
import type { StoreFileInfo } from "../../../interfaces.js";
import type { Steps } from "../../../runtime/steps.js";
import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { storedCounts } from "../engine/stored-counts.js";
import { fileSizes } from "../file/file-sizes.js";
import { freeBytesOf } from "../free-bytes.js";
import type { TraceFile } from "../open-trace-file.js";

/** Rows of a step, so that none takes longer than a few milliseconds. */
const TRACES_PER_STEP = 20_000;
const CHUNKS_PER_STEP = 1000;

/** Counts what a file holds. The rows are counted in steps; rows that come meanwhile may be counted. */
export function* traceFileInfo({ db, path, storeId, createdAtMs }: TraceFile): Steps<StoreFileInfo> {
  const traces = yield* sumInSteps(
    db,
    { table: "trace", id: "seq", sums: "count(*) AS traces" },
    TRACES_PER_STEP,
  );
  const chunks = yield* sumInSteps(
    db,
    {
      table: "chunk",
      id: "id",
      columns: "spans, raw_bytes",
      sums: "count(*) AS chunks, total(spans) AS spans, total(raw_bytes) AS raw_bytes",
    },
    CHUNKS_PER_STEP,
  );
  const ages = db.prepare(
    "SELECT (SELECT min(last_ms) FROM trace) AS oldest, (SELECT max(last_ms) FROM trace) AS newest",
  );
  const { oldest, newest } = ages.get() ?? {};
  return {
    path,
    storeId,
    createdAtMs,
    formatVersion: pragma(db, "user_version"),
    sqliteVersion: String(db.prepare("SELECT sqlite_version() AS version").get()?.["version"]),
    driver: db.driver,
    traces: traces["traces"] ?? 0,
    spans: storedCounts(db).spans,
    chunks: chunks["chunks"] ?? 0,
    chunkSpans: chunks["spans"] ?? 0,
    rawBytes: chunks["raw_bytes"] ?? 0,
    evaluations: Number(db.prepare("SELECT count(*) AS n FROM evaluation").get()?.["n"]),
    oldestMs: typeof oldest === "number" ? oldest : null,
    newestMs: typeof newest === "number" ? newest : null,
    ...fileSizes(path),
    pages: pragma(db, "page_count"),
    freePages: pragma(db, "freelist_count"),
    pageBytes: pragma(db, "page_size"),
    freeDiskBytes: freeBytesOf(dirname(path)),
  };
}

/** Adds up figures of a table, a range of ids at a time. */
function* sumInSteps(
  db: SqlDatabase,
  { table, id, columns, sums }: { table: string; id: string; columns?: string; sums: string },
  rows: number,
): Steps<Record<string, number>> {
  const selected = columns === undefined ? `${id} AS id` : `${id} AS id, ${columns}`;
  const statement = db.prepare(
    `SELECT max(id) AS last, ${sums} FROM (SELECT ${selected} FROM ${table} WHERE ${id} > ? ORDER BY ${id} LIMIT ${rows})`,
  );
  const totals: Record<string, number> = {};
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const { last, ...figures } = statement.get(after) ?? {};
    if (typeof last !== "number") return totals;
    for (const [name, figure] of Object.entries(figures))
      totals[name] = (totals[name] ?? 0) + Number(figure ?? 0);
    after = last;
    yield;
  }
}

function pragma(db: SqlDatabase, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
