import type { SqlRow, SqlValue } from "../driver/sqlite-driver.js";
import { checksumOfNumbers } from "../records/sealed.js";

/** The numbers of a trace under its checksum, in their order: those of the table `trace`, then of `trace_detail`. */
export const NUMBER_COLUMNS = [
  "seq",
  "value_set",
  "start_ms",
  "start_ns",
  "duration_ms",
  "cost_usd",
  "tokens_input",
  "tokens_output",
  "ttft_ms",
  "last_ms",
  "root_hash",
  "running_until_ms",
  "session",
  "key_hash",
] as const;
/** One of {@link NUMBER_COLUMNS}. */
export type NumberColumn = (typeof NUMBER_COLUMNS)[number];

/** True if the numbers of a row of both tables are what was written. Rows of version 2 have no checksum. */
export function hasSoundNumbers(row: SqlRow): boolean {
  const { checksum = null } = row;
  return checksum === null || checksum === checksumOfRow(row);
}

/**
 * The checksum of a row of which some numbers change.
 *
 * @returns what the row has, if that does not match: the damage is found later.
 */
export function checksumAfter(row: SqlRow, changes: Partial<Record<NumberColumn, number | null>>): SqlValue {
  const { checksum = null } = row;
  if (checksum === null || !hasSoundNumbers(row)) return checksum;
  return checksumOfRow({ ...row, ...changes });
}

function checksumOfRow(row: SqlRow): number {
  return checksumOfNumbers(
    NUMBER_COLUMNS.map((column) => {
      const value = row[column];
      return typeof value === "number" ? value : null;
    }),
  );
}
