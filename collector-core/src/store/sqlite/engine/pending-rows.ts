import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import { readRecords, RecordError } from "../records/batch-record.js";
import { lostRecord } from "../records/remove-spans.js";
import { checksumOfRecords, DamageError } from "../records/sealed.js";
import { prepareAll } from "./trace-tables.js";

/** Shorter records fit into a page or two as they are. */
const MIN_COMPRESSED_BYTES = 1500;
/** More spans than a chunk has. */
const MAX_SPANS = 2 ** 21;
/** What every runtime reads, so that no file is refused for its last records. */
const DEFLATE = { level: 1, chunkSize: 65_536 };

const SQL = {
  add: "INSERT INTO pending (spans, raw_bytes, checksum, bytes) VALUES (?, ?, ?, ?)",
  clear: "DELETE FROM pending",
  read: "SELECT spans, raw_bytes, checksum, bytes FROM pending ORDER BY id",
} as const;

/** The records of the open chunk, as the file has them. */
export interface PendingRecords {
  /** Lost records are in place of damaged ones, so that the spans after them keep their ordinals. */
  readonly records: Buffer;
  /** Present if a row is damaged. */
  readonly damage?: { readonly error: Error; readonly spans: number };
}

/**
 * The rows of the table `pending`: whole records of the open chunk, a row for each flush. They are compressed: at few requests a
 * second, each page that a commit does not write counts.
 */
export class PendingRows {
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;

  constructor(db: SqlDatabase) {
    this.#statements = prepareAll(db, SQL);
  }

  /** @param spans - of the chunk up to the end of the records. */
  add(records: Buffer, spans: number): void {
    const isSmall = records.length < MIN_COMPRESSED_BYTES;
    const bytes = isSmall ? records : deflateRawSync(records, DEFLATE);
    this.#statements.add.run(spans, isSmall ? null : records.length, checksumOfRecords(bytes, spans), bytes);
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
  const { spans: end } = row;
  const records = isSoundPending(row) ? recordsIn(row) : undefined;
  if (records === undefined || typeof end !== "number") return undefined;
  const count = spansIn(records);
  // The number of spans is a part of the checksum. Somebody else may have written both.
  return count === undefined || end > MAX_SPANS ? undefined : { records, count, end };
}

/** The number of spans; undefined if the bytes are no records. */
function spansIn(records: Buffer): number | undefined {
  try {
    let count = 0;
    for (const { spanCount } of readRecords(records)) count += spanCount;
    return count;
  } catch (error) {
    if (error instanceof RecordError) return undefined;
    throw error;
  }
}

/** The records of a row; undefined if they are not as long as the row says. */
function recordsIn({ raw_bytes: rawBytes = null, bytes }: SqlRow): Buffer | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  if (rawBytes === null) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const records = inflateRawSync(bytes, { maxOutputLength: Math.max(1, Number(rawBytes)) });
    return records.length === rawBytes ? records : undefined;
  } catch {
    return undefined;
  }
}

/** True if the checksum of a row of the table `pending` matches. */
export function isSoundPending({ spans, checksum, bytes }: SqlRow): boolean {
  return (
    typeof spans === "number" && bytes instanceof Uint8Array && checksum === checksumOfRecords(bytes, spans)
  );
}

/** The spans that a damaged row has after the last sound one, as far as its count is believable. */
function spansAtEnd({ spans: end, raw_bytes: rawBytes, bytes }: SqlRow, spans: number): number {
  const count = Number(end) - spans;
  const most = Math.max(Number(rawBytes ?? 0), bytes instanceof Uint8Array ? bytes.length : 0);
  return count > 0 && count <= most ? count : 0;
}
