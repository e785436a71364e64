import { RefusedRowsError, type Database } from "./database.js";

/** What became of rows that were inserted. */
export interface InsertedRows<Row> {
  /** Those that ClickHouse has now. */
  readonly inserted: readonly Row[];
  /** Why it has not the others: one error for each. */
  readonly refusals: readonly RefusedRowsError[];
}

/** Inserts rows without those that ClickHouse cannot read, which it refuses together with all others. */
export async function insertReadable<Row extends object>(
  database: Pick<Database, "insert">,
  table: string,
  rows: readonly Row[],
  signal?: AbortSignal,
): Promise<InsertedRows<Row>> {
  if (rows.length === 0) return { inserted: [], refusals: [] };
  try {
    await database.insert(table, rows, signal);
    return { inserted: rows, refusals: [] };
  } catch (error) {
    if (!(error instanceof RefusedRowsError)) throw error;
    if (rows.length === 1) return { inserted: [], refusals: [error] };
  }
  const half = rows.length >> 1;
  const first = await insertReadable(database, table, rows.slice(0, half), signal);
  const second = await insertReadable(database, table, rows.slice(half), signal);
  return {
    inserted: [...first.inserted, ...second.inserted],
    refusals: [...first.refusals, ...second.refusals],
  };
}
