import { SpanHasher } from "../../../hashing/span-hashes.js";
import type { Clock } from "../../../runtime/clock.js";
import type { TurnPosition } from "../../sessions/session-position.js";
import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { readMeta } from "../file/meta.js";
import type { BatchRecord } from "../records/batch-record.js";
import { ChunkReader, type OnCorruptChunk } from "./chunk-reader.js";
import { ChunkRepair } from "./chunk-repair.js";
import { ChunkRows } from "./chunk-rows.js";
import { ChunkWriter } from "./chunk-writer.js";
import { EvictedKeys } from "./evicted-keys.js";
import { FileWriter } from "./file-writer.js";
import { NumberRepair } from "./number-repair.js";
import { openChunk } from "./open-chunk.js";
import type { OpenStoreOptions } from "./open-store-options.js";
import { PendingRows } from "./pending-rows.js";
import type { SpanPlace } from "./span-places.js";
import { StartBounds } from "./start-bounds.js";
import { storedCounts } from "./stored-counts.js";
import { StoreClock } from "./store-clock.js";
import { TextEraser } from "./text-eraser.js";
import { TraceBuffer } from "./trace-buffer.js";
import { TraceTables } from "./trace-tables.js";
import { ValueSets } from "./value-sets.js";

/** What all parts of an open store work on: the tables and chunks of its file, and the traces that receive spans. */
export interface StoreCore {
  readonly db: SqlDatabase;
  readonly clock: Clock;
  /** Store time. */
  readonly nowMs: () => number;
  readonly hasher: SpanHasher;
  readonly tables: TraceTables;
  readonly startBounds: StartBounds;
  readonly valueSets: ValueSets;
  readonly evicted: EvictedKeys;
  readonly writer: ChunkWriter;
  readonly reader: ChunkReader;
  readonly buffer: TraceBuffer;
  readonly file: FileWriter;
  readonly numberRepair: NumberRepair;
  readonly eraser: TextEraser;
  readonly onCorruptChunk: OnCorruptChunk;
  /** Traces that the file has. */
  readonly storedTraces: number;
  /** Adds a copy of a record to the open chunk. */
  readonly addToChunk: (records: Buffer, record: BatchRecord) => SpanPlace;
}

/**
 * Opens the tables and chunks of a file, as of the last commit.
 *
 * @param onSessionWritten - called when a trace of a session is written.
 */
export function openStoreCore(
  { file: traceFile, clock, bounds, onCorruptChunk, onDamagedTrace, onDamagedRow }: OpenStoreOptions,
  onSessionWritten: (session: number, turn: TurnPosition) => void,
): StoreCore {
  const { db, hashSeed } = traceFile;
  const nowMs = storeTime(db, clock);
  const hasher = new SpanHasher(hashSeed);
  const startBounds = new StartBounds(db);
  const tables: TraceTables = new TraceTables(db, {
    hashSeed,
    nowMs,
    onDamage: (sequence, part) => {
      const spans = part === "places" ? (tables.summary(sequence)?.span_count ?? 0) : 0;
      onDamagedTrace(sequence, part, spans);
      if (part === "numbers") numberRepair.add(sequence);
    },
    onWritten: (sequence, startMs) => startBounds.written(sequence, startMs),
    onSessionWritten,
  });
  const counts = storedCounts(db);
  const writer = new ChunkWriter(Number(readMeta(db, "open_chunk") ?? 1));
  const reader = new ChunkReader(db, writer, onCorruptChunk, bounds.maxChunkBytes);
  const buffer = new TraceBuffer(reader, hasher);
  buffer.traces.continueAfter(Number(readMeta(db, "last_seq") ?? 0));
  const newestSequence = (): number => buffer.traces.newestSequence;
  const addToChunk: StoreCore["addToChunk"] = (records, { start, end, spanCount }) =>
    writer.add(records.subarray(start, end), spanCount, newestSequence(), nowMs());

  const valueSets = new ValueSets(db, {
    hashSeed,
    onDamaged: (id, isLost) => {
      onDamagedRow("value_set", id);
      if (isLost) for (const sequence of tables.ofValueSet(id)) numberRepair.add(sequence);
    },
  });
  const chunkRepair = new ChunkRepair({
    db,
    tables,
    reader,
    newestSequence,
    nowMs,
    onDamaged: (chunk) => onDamagedRow("chunk", chunk),
  });
  const pendingRows = new PendingRows(db);
  const file = new FileWriter({
    db,
    buffer,
    writer,
    reader,
    tables,
    valueSets,
    chunkRows: new ChunkRows({ db, repair: (damaged) => chunkRepair.numbersOf(damaged) }),
    pendingRows,
    nowMs,
    pending: openChunk(pendingRows, {
      writer,
      add: addToChunk,
      newestSequence: newestSequence(),
      onCorruptChunk,
    }),
    spanCount: counts.spans,
    // Chunks do not count their traces yet.
    needsRebuild: traceFile.needsRebuild,
  });
  const numberRepair = new NumberRepair({ buffer, tables, reader, file });
  return {
    db,
    clock,
    nowMs,
    hasher,
    tables,
    startBounds,
    valueSets,
    evicted: new EvictedKeys(db, {
      count: counts.evicted,
      onDamaged: (keyHash) => onDamagedRow("evicted", keyHash),
    }),
    writer,
    reader,
    buffer,
    file,
    numberRepair,
    eraser: new TextEraser({
      db,
      file,
      reader,
      tables,
      isRebuilding: () => traceFile.needsRebuild,
      onDamaged: (row) => onDamagedRow("erasing", row),
    }),
    onCorruptChunk,
    storedTraces: counts.traces,
    addToChunk,
  };
}

function storeTime(db: SqlDatabase, clock: Clock): () => number {
  const wallMs = readMeta(db, "wall_ms");
  const time = new StoreClock(clock, {
    storeMs: Number(readMeta(db, "clock_ms") ?? 0),
    ...(typeof wallMs === "number" && { wallMs }),
  });
  return () => time.nowMs();
}
