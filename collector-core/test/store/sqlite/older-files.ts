import type { SqlDatabase } from "../../../src/store/sqlite/driver/sqlite-driver.js";

/** Makes a file what version 2 has written: without checksums of records under way, numbers and evaluations. */
export function toVersion2(db: SqlDatabase): void {
  db.exec(
    "ALTER TABLE trace DROP COLUMN checksum; " +
      "ALTER TABLE pending DROP COLUMN spans; ALTER TABLE pending DROP COLUMN checksum; PRAGMA user_version = 2",
  );
  const setJson = db.prepare("UPDATE evaluation SET json = ? WHERE seq = ?");
  for (const { seq = null, json } of db.prepare("SELECT seq, json FROM evaluation").all())
    setJson.run(String(json).replace(/#[^#]*$/, ""), seq);
}
