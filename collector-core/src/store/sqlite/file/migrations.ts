import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { FORMAT_VERSION } from "./schema.js";

/** Changes a file from one version to the next, in at most a second for the largest file. */
export type Migration = (db: SqlDatabase) => void;

/** The format of a trace file, and how to reach it from older ones. */
export interface FileFormat {
  readonly version: number;
  /** By the version that they start from. A version without one needs a rebuild from the chunks. */
  readonly migrations: Readonly<Record<number, Migration>>;
}

export const FILE_FORMAT: FileFormat = { version: FORMAT_VERSION, migrations: {} };

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
