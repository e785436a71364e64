import { readRecords, type BatchRecord } from "../records/batch-record.js";
import type { OnCorruptChunk } from "./chunk-reader.js";
import type { ChunkPosition, ChunkWriter } from "./chunk-writer.js";
import type { PendingRows } from "./pending-rows.js";

/** Options of {@link openChunk}. */
export interface OpenChunkOptions {
  readonly writer: ChunkWriter;
  /** Adds a record to the writer. */
  readonly add: (records: Buffer, record: BatchRecord) => void;
  /** The sequence of the newest trace. */
  readonly newestSequence: number;
  readonly onCorruptChunk: OnCorruptChunk;
}

/** Opens the chunk that was open when the file was closed. @returns where the records end that the file has. */
export function openChunk(
  rows: PendingRows,
  { writer, add, newestSequence, onCorruptChunk }: OpenChunkOptions,
): ChunkPosition {
  const { records, damage } = rows.read();
  for (const record of readRecords(records)) add(records, record);
  const { position } = writer;
  if (damage === undefined) return position;
  const { chunk, bytes } = position;
  onCorruptChunk(chunk, damage.spans, damage.error);
  // New spans get places in another chunk: that many of this one are not known.
  if (bytes > 0) writer.close(newestSequence);
  else writer.skip();
  // The rows are removed with the next flush.
  return { chunk, bytes: Math.max(1, bytes) };
}
