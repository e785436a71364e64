import type { TraceKey } from "../../../interfaces.js";
import type { Steps } from "../../../runtime/steps.js";
import { traceKeyText } from "../../../span/trace-key-text.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import { removeSpans } from "../records/remove-spans.js";
import { DamageError, parseSealed, sealJson } from "../records/sealed.js";
import type { ChunkReader } from "./chunk-reader.js";
import type { FileWriter } from "./file-writer.js";
import type { SpanPlace } from "./span-places.js";
import { isChunkId, listOf, objectOf, type Shape } from "../../traces/stored-shape.js";
import { prepareAll, type TraceTables } from "./trace-tables.js";

const SQL = {
  add: "INSERT INTO erasing (tenant, trace_id, chunks) VALUES (?, ?, ?)",
  all: "SELECT id, tenant, trace_id, chunks FROM erasing ORDER BY id",
  done: "DELETE FROM erasing WHERE id <= ?",
  chunks: "SELECT id FROM chunk WHERE id > ? AND id <= ?",
} as const;

/** Consecutive chunks. */
export interface ChunkRange {
  readonly after: number;
  readonly upTo: number;
}

const NO_RANGE: ChunkRange = { after: 0, upTo: 0 };
const EVERY_CHUNK: ChunkRange = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

/** A removed trace, and the chunks that may have text of it. */
interface Erasure {
  readonly id: number;
  /** See `traceKeyText`. */
  readonly key: string;
  readonly chunks: ReadonlySet<number>;
  readonly range: ChunkRange;
  /** Its row is damaged: the key may be that of another trace, whose stored spans stay. */
  readonly isDamaged?: true;
}

/** Options of {@link TextEraser}. */
export interface TextEraserOptions {
  readonly db: SqlDatabase;
  readonly file: FileWriter;
  readonly reader: ChunkReader;
  readonly tables: Pick<TraceTables, "findPlaces">;
  /** True while the tables do not have every stored span. */
  readonly isRebuilding: () => boolean;
  readonly onDamaged: (row: number) => void;
}

/**
 * Erases the spans of removed traces from the chunks, chunk by chunk, for several traces at once. The file lists what is left to
 * do: an interrupted erasure begins again when the file is opened.
 */
export class TextEraser {
  readonly #options: TextEraserOptions;
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  #erasures: Erasure[];
  #steps: Steps<void> | undefined;
  /** Keys of traces with erased spans. */
  #found = new Set<string>();

  constructor(options: TextEraserOptions) {
    this.#options = options;
    this.#statements = prepareAll(options.db, SQL);
    this.#erasures = this.#statements.all.all().map((row) => this.#toErasure(row));
  }

  /** True until no chunk has text of a removed trace. */
  get isPending(): boolean {
    return this.#erasures.length > 0;
  }

  /**
   * Adds a trace that was removed. Its chunks must be closed: a later chunk may have a new trace with the same key.
   *
   * @param range - further chunks, of which few or none have text of it.
   */
  add({ tenant, traceId }: TraceKey, chunks: readonly number[], range: ChunkRange = NO_RANGE): void {
    this.#options.file.begin();
    const key = traceKeyText({ tenant, traceId });
    const listed = range.upTo > range.after ? { chunks, ...range } : chunks;
    const { lastInsertRowid: id } = this.#statements.add.run(
      tenant,
      traceId,
      sealJson(JSON.stringify(listed), key),
    );
    this.#erasures.push({ id, key, chunks: new Set(chunks), range });
  }

  /** True if the spans of a trace in a chunk are to be erased. */
  covers(key: TraceKey, chunk: number): boolean {
    if (this.#erasures.length === 0) return false;
    const text = traceKeyText(key);
    return this.#erasures.some(
      (erasure) => erasure.key === text && has(erasure, chunk) && erasure.isDamaged !== true,
    );
  }

  /** The keys of traces whose spans were erased since the last call. */
  takeFound(): ReadonlySet<string> {
    const found = this.#found;
    this.#found = new Set();
    return found;
  }

  /** Erases the text from one chunk, without committing it. @returns false if nothing is left. */
  step(): boolean {
    if (!this.isPending) return false;
    if (this.#erasures.some(({ isDamaged }) => isDamaged) && this.#options.isRebuilding()) return false;
    this.#steps ??= this.#erase();
    if (this.#steps.next().done !== true) return true;
    this.#steps = undefined;
    return this.isPending;
  }

  *#erase(): Steps<void> {
    const { file } = this.#options;
    const erasures = [...this.#erasures];
    for (const chunk of this.#chunksOf(erasures)) {
      const isDamagedByKey = new Map<string, boolean>();
      for (const each of erasures) {
        if (!has(each, chunk)) continue;
        isDamagedByKey.set(each.key, each.isDamaged === true && isDamagedByKey.get(each.key) !== false);
      }
      this.#eraseFrom(chunk, isDamagedByKey);
      yield;
    }
    file.begin();
    this.#statements.done.run(erasures.at(-1)?.id ?? 0);
    this.#erasures = this.#erasures.slice(erasures.length);
  }

  #chunksOf(erasures: readonly Erasure[]): number[] {
    const chunks = new Set<number>();
    let { after, upTo } = { after: Number.POSITIVE_INFINITY, upTo: 0 };
    for (const erasure of erasures) {
      for (const chunk of erasure.chunks) chunks.add(chunk);
      if (erasure.range.upTo === 0) continue;
      after = Math.min(after, erasure.range.after);
      upTo = Math.max(upTo, erasure.range.upTo);
    }
    if (upTo > 0) for (const { id } of this.#statements.chunks.all(after, upTo)) chunks.add(Number(id));
    return [...chunks].sort((a, b) => a - b);
  }

  /**
   * Removes the spans of traces from a chunk, unless the chunk is gone.
   *
   * @param traces - by key, whether its erasure is damaged.
   */
  #eraseFrom(id: number, traces: ReadonlyMap<string, boolean>): void {
    const { file, reader } = this.#options;
    const chunk = reader.read(id);
    if (chunk === undefined || traces.size === 0) return;
    const ordinals = new Set<number>();
    for (const [at, record] of chunk.soundRecords()) {
      for (const [index, span] of record.parse().entries()) {
        if (span === null) continue;
        const owner = { tenant: record.contextOf(index).tenant, traceId: span.trace_id };
        const key = traceKeyText(owner);
        const isDamaged = traces.get(key);
        const ordinal = chunk.firstOrdinalOf(at) + index;
        if (isDamaged === undefined || (isDamaged && this.#isStored(owner, { chunk: id, ordinal }))) continue;
        this.#found.add(key);
        ordinals.add(ordinal);
      }
    }
    if (ordinals.size > 0) file.rewriteChunk(id, removeSpans(chunk.raw, ordinals));
  }

  /** True if a trace of the tables has a span at a place. */
  #isStored(key: TraceKey, { chunk, ordinal }: SpanPlace): boolean {
    const places = this.#options.tables.findPlaces(key)?.places;
    if (places === undefined) return false;
    return [...places.spans, ...places.evaluations].some(
      (place) => place.chunk === chunk && place.ordinal === ordinal,
    );
  }

  #toErasure(row: SqlRow): Erasure {
    const id = Number(row["id"]);
    const key = traceKeyText({ tenant: String(row["tenant"]), traceId: String(row["trace_id"]) });
    try {
      const { chunks, after, upTo } = parseErasure(row);
      return { id, key, chunks: new Set(chunks), range: { after, upTo } };
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      this.#options.onDamaged(id);
      return { id, key, chunks: new Set(), range: EVERY_CHUNK, isDamaged: true };
    }
  }
}

function has({ chunks, range }: Erasure, chunk: number): boolean {
  return chunks.has(chunk) || (chunk > range.after && chunk <= range.upTo);
}

const areChunks = listOf(isChunkId);
const isListWithRange = objectOf({ chunks: areChunks, after: isChunkId, upTo: isChunkId });
const isErasure: Shape = (value) => areChunks(value) || isListWithRange(value);

/** The chunks that a row of the table `erasing` lists. @throws DamageError */
export function parseErasure(row: SqlRow): ChunkRange & { readonly chunks: readonly number[] } {
  const key = traceKeyText({ tenant: String(row["tenant"]), traceId: String(row["trace_id"]) });
  const listed = parseSealed(String(row["chunks"]), key, isErasure) as
    | number[]
    | (ChunkRange & { readonly chunks: number[] });
  return Array.isArray(listed) ? { ...NO_RANGE, chunks: listed } : listed;
}
