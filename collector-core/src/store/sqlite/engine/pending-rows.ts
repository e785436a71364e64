import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import { readRecords } from "../records/batch-record.js";
import { lostRecord } from "../records/remove-spans.js";
import { checksumOfRecords, DamageError } from "../records/sealed.js";
import { prepareAll } from "./trace-tables.js";

const SQL = {
  add: "INSERT INTO pending (spans, checksum, bytes) VALUES (?, ?, ?)",
  clear: "DELETE FROM pending",
  read: "SELECT spans, checksum, bytes FROM pending ORDER BY id",
} as const;

/** The records of the open chunk, as the file has them. */
export interface PendingRecords {
  /** Lost records are in place of damaged ones, so that the spans after them keep their ordinals. */
  readonly records: Buffer;
  /** Present if a row is damaged. */
  readonly damage?: { readonly error: Error; readonly spans: number };
}

/** The rows of the table `pending`: whole records of the open chunk, a row for each flush. */
export class PendingRows {
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;

  constructor(db: SqlDatabase) {
    this.#statements = prepareAll(db, SQL);
  }

  /** @param spans - of the chunk up to the end of the records. */
  add(records: Buffer, spans: number): void {
    this.#statements.add.run(spans, checksumOfRecords(records, spans), records);
  }

  clear(): void {
    this.#statements.clear.run();
  }

  read(): PendingRecords {
    const parts: Buffer[] = [];
    let spans = 0;
    let lost = 0;
    let isDamaged = false;
    /** The damaged row after the last sound one. */
    let tail: SqlRow | undefined;
    for (const row of this.#statements.read.all()) {
      const found = soundRecords(row);
      const gap = found === undefined ? -1 : found.end - found.count - spans;
      if (found === undefined || gap < 0) {
        isDamaged = true;
        tail = row;
        continue;
      }
      if (gap > 0) parts.push(lostRecord(gap));
      lost += gap;
      parts.push(found.records);
      spans = found.end;
      tail = undefined;
    }
    const records = Buffer.concat(parts);
    if (!isDamaged) return { records };
    const error = new DamageError("The checksum of records of the open chunk does not match.");
    return { records, damage: { error, spans: lost + (tail === undefined ? 0 : spansAtEnd(tail, spans)) } };
  }
}

/** The records of a row, and how many spans they and the chunk up to their end have; undefined if the row is damaged. */
function soundRecords(row: SqlRow): { records: Buffer; count: number; end: number } | undefined {
  const { spans: end, bytes } = row;
  if (!isSoundPending(row) || typeof end !== "number" || !(bytes instanceof Uint8Array)) return undefined;
  const records = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (const { spanCount } of readRecords(records)) count += spanCount;
  return { records, count, end };
}

/** True if the checksum of a row of the table `pending` matches. */
export function isSoundPending({ spans, checksum, bytes }: SqlRow): boolean {
  return (
    typeof spans === "number" && bytes instanceof Uint8Array && checksum === checksumOfRecords(bytes, spans)
  );
}

/** The spans that a damaged row has after the last sound one, as far as its count is believable. */
function spansAtEnd({ spans: end, bytes }: SqlRow, spans: number): number {
  const count = Number(end) - spans;
  const most = bytes instanceof Uint8Array ? bytes.length : 0;
  return count > 0 && count <= most ? count : 0;
}
