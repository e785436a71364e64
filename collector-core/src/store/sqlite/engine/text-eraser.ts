import type { TraceKey } from "../../../interfaces.js";
import type { Steps } from "../../../runtime/steps.js";
import { traceKeyText } from "../../../span/trace-key-text.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import { removeSpans } from "../records/remove-spans.js";
import type { ChunkReader } from "./chunk-reader.js";
import type { FileWriter } from "./file-writer.js";
import { prepareAll } from "./trace-tables.js";

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

/** A removed trace, and the chunks that may have text of it. */
interface Erasure {
  readonly id: number;
  /** See `traceKeyText`. */
  readonly key: string;
  readonly chunks: ReadonlySet<number>;
  readonly range: ChunkRange;
}

/** Options of {@link TextEraser}. */
export interface TextEraserOptions {
  readonly db: SqlDatabase;
  readonly file: FileWriter;
  readonly reader: ChunkReader;
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
    this.#erasures = this.#statements.all.all().map(toErasure);
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
    const listed = range.upTo > range.after ? { chunks, ...range } : chunks;
    const { lastInsertRowid: id } = this.#statements.add.run(tenant, traceId, JSON.stringify(listed));
    this.#erasures.push({ id, key: traceKeyText({ tenant, traceId }), chunks: new Set(chunks), range });
  }

  /** True if the spans of a trace in a chunk are to be erased. */
  covers(key: TraceKey, chunk: number): boolean {
    if (this.#erasures.length === 0) return false;
    const text = traceKeyText(key);
    return this.#erasures.some((erasure) => erasure.key === text && has(erasure, chunk));
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
    this.#steps ??= this.#erase();
    if (this.#steps.next().done !== true) return true;
    this.#steps = undefined;
    return this.isPending;
  }

  *#erase(): Steps<void> {
    const { file } = this.#options;
    const erasures = [...this.#erasures];
    for (const chunk of this.#chunksOf(erasures)) {
      const keys = new Set(erasures.filter((each) => has(each, chunk)).map(({ key }) => key));
      this.#eraseFrom(chunk, keys);
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

  /** Removes the spans of traces from a chunk, unless the chunk is gone. */
  #eraseFrom(id: number, traces: ReadonlySet<string>): void {
    const { file, reader } = this.#options;
    const chunk = reader.read(id);
    if (chunk === undefined || traces.size === 0) return;
    const ordinals = new Set<number>();
    for (const [at, record] of chunk.records.entries()) {
      for (const [index, span] of record.parse().entries()) {
        if (span === null) continue;
        const key = traceKeyText({ tenant: record.contextOf(index).tenant, traceId: span.trace_id });
        if (!traces.has(key)) continue;
        this.#found.add(key);
        ordinals.add(chunk.firstOrdinalOf(at) + index);
      }
    }
    if (ordinals.size > 0) file.rewriteChunk(id, removeSpans(chunk.raw, ordinals));
  }
}

function has({ chunks, range }: Erasure, chunk: number): boolean {
  return chunks.has(chunk) || (chunk > range.after && chunk <= range.upTo);
}

function toErasure(row: SqlRow): Erasure {
  const key = traceKeyText({ tenant: String(row["tenant"]), traceId: String(row["trace_id"]) });
  const { chunks, after, upTo } = readList(String(row["chunks"]));
  return { id: Number(row["id"]), key, chunks: new Set(chunks), range: { after, upTo } };
}

/** Nothing can be erased by a damaged list. */
function readList(text: string): ChunkRange & { readonly chunks: readonly number[] } {
  try {
    const listed = JSON.parse(text) as number[] | (ChunkRange & { readonly chunks: number[] });
    return Array.isArray(listed) ? { ...NO_RANGE, chunks: listed } : listed;
  } catch {
    return { ...NO_RANGE, chunks: [] };
  }
}
