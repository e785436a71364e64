import type { StoredView } from "../../../interfaces.js";
import { isRecord } from "../../../span/span-facts.js";
import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { inTransaction } from "../file/transaction.js";
import { DamageError, parseSealed, sealJson } from "../records/sealed.js";

/** Reads the saved views that a backup brought, in their order. Damaged ones are left out. */
export function readViews(db: SqlDatabase): StoredView[] {
  return db
    .prepare("SELECT id, json FROM view ORDER BY rowid")
    .all()
    .flatMap((row) => {
      const id = String(row["id"]);
      try {
        return [{ id, json: JSON.stringify(parseSealed(String(row["json"]), id, isRecord)) }];
      } catch (error) {
        if (error instanceof DamageError) return [];
        throw error;
      }
    });
}

/** Writes the saved views for a backup, in a transaction of their own. Writes nothing if the file has them already. */
export function writeViews(db: SqlDatabase, views: readonly StoredView[]): void {
  const known = readViews(db);
  const isSame = (view: StoredView, index: number): boolean =>
    view.id === known[index]?.id && view.json === known[index].json;
  if (known.length === views.length && views.every(isSame)) return;
  inTransaction(db, () => {
    db.exec("DELETE FROM view");
    const insert = db.prepare("INSERT INTO view (id, json) VALUES (?, ?)");
    for (const { id, json } of views) insert.run(id, sealJson(json, id));
  });
}
