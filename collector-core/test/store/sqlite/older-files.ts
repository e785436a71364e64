import { inflateRawSync } from "node:zlib";
import type { SqlDatabase } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { checksumOfRecords } from "../../../src/store/sqlite/records/sealed.js";

/**
 * Makes a file what version 3 has written: without the sessions of traces, and without checksums of rows of chunks, evicted traces
 * and statistics.
 */
export function toVersion3(db: SqlDatabase): void {
  const setPending = db.prepare("UPDATE pending SET checksum = ?, bytes = ? WHERE id = ?");
  for (const { id = null, spans, bytes } of db
    .prepare("SELECT id, spans, bytes FROM pending WHERE raw_bytes IS NOT NULL")
    .all()) {
    const records = inflateRawSync(bytes as Uint8Array);
    setPending.run(checksumOfRecords(records, Number(spans)), records, id);
  }
  const setChunks = db.prepare("UPDATE erasing SET chunks = ? WHERE id = ?");
  for (const { id = null, chunks } of db.prepare("SELECT id, chunks FROM erasing").all())
    setChunks.run(withoutSeal(chunks), id);
  const counts = String(db.prepare("SELECT value FROM meta WHERE key = 'counts'").get()?.["value"] ?? "{}");
  const { spans = 0 } = JSON.parse(withoutSeal(counts)) as { readonly spans?: number };
  db.prepare("INSERT INTO meta VALUES ('span_count', ?)").run(spans);
  db.exec(
    "ALTER TABLE chunk DROP COLUMN row_checksum; ALTER TABLE pending DROP COLUMN raw_bytes; " +
      "ALTER TABLE evicted DROP COLUMN checksum; ALTER TABLE stats_step DROP COLUMN checksum; " +
      "DELETE FROM meta WHERE key = 'counts'; PRAGMA user_version = 3; " +
      "DROP INDEX session_by_start; DROP INDEX session_by_end; ALTER TABLE trace DROP COLUMN session; " +
      "DROP INDEX trace_by_session; " +
      "CREATE INDEX trace_by_session ON trace_detail (session_id) WHERE session_id IS NOT NULL",
  );
}

/** Makes a file what version 2 has written: also without checksums of records under way, numbers and evaluations. */
export function toVersion2(db: SqlDatabase): void {
  toVersion3(db);
  db.exec(
    "ALTER TABLE trace DROP COLUMN checksum; " +
      "ALTER TABLE pending DROP COLUMN spans; ALTER TABLE pending DROP COLUMN checksum; PRAGMA user_version = 2",
  );
  const setJson = db.prepare("UPDATE evaluation SET json = ? WHERE seq = ?");
  for (const { seq = null, json } of db.prepare("SELECT seq, json FROM evaluation").all())
    setJson.run(withoutSeal(json), seq);
}

function withoutSeal(text: unknown): string {
  return String(text).replace(/#[^#]*$/, "");
}
