import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { createTableSql, FORMAT_VERSION, TABLES } from "./schema.js";

/** Changes a file from one version to the next, in at most a second for the largest file. */
export type Migration = (db: SqlDatabase) => void;

/** The format of a trace file, and how to reach it from older ones. */
export interface FileFormat {
  readonly version: number;
  /** By the version that they start from. A version without one needs a rebuild from the chunks. */
  readonly migrations: Readonly<Record<number, Migration>>;
}

export const FILE_FORMAT: FileFormat = { version: FORMAT_VERSION, migrations: { 1: addErasing } };

/** Version 2 erases removed traces in steps, and finds the oldest evicted traces by an index. */
function addErasing(db: SqlDatabase): void {
  const { erasing } = TABLES;
  if (erasing !== undefined) db.exec(createTableSql("erasing", erasing));
  db.exec("CREATE INDEX evicted_by_time ON evicted (at_ms)");
}

/** The migrations from a version to the current one; undefined if one of them is missing. */
export function migrationsFrom(from: number, { version, migrations }: FileFormat): Migration[] | undefined {
  const steps: Migration[] = [];
  for (let each = from; each < version; each++) {
    const step = migrations[each];
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}
