import type { TraceKey } from "../../../interfaces.js";
import type { Steps } from "../../../runtime/steps.js";
import { traceKeyText } from "../../../span/trace-key-text.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";
import { removeSpans } from "../records/remove-spans.js";
import type { ChunkReader } from "./chunk-reader.js";
import type { FileWriter } from "./file-writer.js";
import { prepareAll } from "./trace-tables.js";

const SQL = {
  add: "INSERT INTO erasing (tenant, trace_id, chunks) VALUES (?, ?, ?)",
  any: "SELECT 1 FROM erasing LIMIT 1",
  all: "SELECT id, tenant, trace_id, chunks FROM erasing ORDER BY id",
  done: "DELETE FROM erasing WHERE id <= ?",
} as const;

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
  #isPending: boolean;
  #steps: Steps<void> | undefined;

  constructor(options: TextEraserOptions) {
    this.#options = options;
    this.#statements = prepareAll(options.db, SQL);
    this.#isPending = this.#statements.any.get() !== undefined;
  }

  /** True until no chunk has text of a removed trace. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** Adds a trace that was removed. Its chunks must be closed: a later chunk may have a new trace with the same key. */
  add({ tenant, traceId }: TraceKey, chunks: readonly number[]): void {
    this.#options.file.begin();
    this.#statements.add.run(tenant, traceId, JSON.stringify(chunks));
    this.#isPending = true;
  }

  /** Erases the text from one chunk, without committing it. @returns false if nothing is left. */
  step(): boolean {
    if (!this.#isPending) return false;
    this.#steps ??= this.#erase();
    if (this.#steps.next().done !== true) return true;
    this.#steps = undefined;
    this.#isPending = this.#statements.any.get() !== undefined;
    return this.#isPending;
  }

  *#erase(): Steps<void> {
    const { file } = this.#options;
    const tracesByChunk = new Map<number, Set<string>>();
    let last = 0;
    for (const row of this.#statements.all.all()) {
      const key = traceKeyText({ tenant: String(row["tenant"]), traceId: String(row["trace_id"]) });
      for (const chunk of JSON.parse(String(row["chunks"])) as number[]) {
        const traces = tracesByChunk.get(chunk);
        if (traces === undefined) tracesByChunk.set(chunk, new Set([key]));
        else traces.add(key);
      }
      last = Number(row["id"]);
    }
    for (const chunk of [...tracesByChunk.keys()].sort((a, b) => a - b)) {
      this.#eraseFrom(chunk, tracesByChunk.get(chunk) ?? new Set());
      yield;
    }
    file.begin();
    this.#statements.done.run(last);
  }

  /** Removes the spans of traces from a chunk, unless the chunk is gone. */
  #eraseFrom(id: number, traces: ReadonlySet<string>): void {
    const { file, reader } = this.#options;
    const chunk = reader.read(id);
    if (chunk === undefined) return;
    const ordinals = new Set<number>();
    for (const [at, record] of chunk.records.entries()) {
      for (const [index, span] of record.parse().entries()) {
        if (span === null) continue;
        const key = { tenant: record.contextOf(index).tenant, traceId: span.trace_id };
        if (traces.has(traceKeyText(key))) ordinals.add(chunk.firstOrdinalOf(at) + index);
      }
    }
    if (ordinals.size > 0) file.rewriteChunk(id, removeSpans(chunk.raw, ordinals));
  }
}
