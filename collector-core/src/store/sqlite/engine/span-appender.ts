import type { EvictionReason } from "../../../interfaces.js";
import { readRecords } from "../records/batch-record.js";
import type { BufferLimit } from "./buffer-limit.js";
import type { Retention } from "./retention.js";
import type { ParsedRecord, SpanIndexer } from "./span-indexer.js";
import type { StoreCore } from "./store-core.js";
import type { StoreRebuild } from "./store-rebuild.js";

/** Options of {@link SpanAppender}. */
export interface SpanAppenderOptions extends Pick<StoreCore, "buffer" | "tables" | "file" | "addToChunk"> {
  readonly indexer: SpanIndexer;
  readonly retention: Retention;
  readonly bufferLimit: Pick<BufferLimit, "noteAdded">;
  /** Present while one is under way. */
  readonly rebuild: () => StoreRebuild | undefined;
  /** Writes what changed. */
  readonly flush: () => void;
  readonly onEvicted: (reason: EvictionReason, count: number) => void;
}

/** Adds the spans of records to the open chunk and to their traces. */
export class SpanAppender {
  readonly #options: SpanAppenderOptions;
  #reportedDropped = 0;

  constructor(options: SpanAppenderOptions) {
    this.#options = options;
  }

  /** Adds the spans of records, which are copied. */
  append(records: Buffer): void {
    const { retention, indexer, bufferLimit, file, addToChunk } = this.#options;
    retention.evictExpired();
    const parsed = Array.from(readRecords(records), (record) => ({ record, spans: record.parse() }));
    if (retention.expiredMs !== undefined) this.#evictExpiredOf(parsed, retention.expiredMs);
    const reloaded = indexer.addAll(parsed, (record) => addToChunk(records, record));
    let added = 0;
    for (const { spans } of parsed) added += spans.length;
    bufferLimit.noteAdded(added, reloaded);
    this.#reportDropped();
    file.flushQuiet();
  }

  /** A span of an expired trace begins a new one. */
  #evictExpiredOf(parsed: readonly ParsedRecord[], expiredMs: number): void {
    const { buffer, tables, retention, flush } = this.#options;
    const rebuild = this.#options.rebuild();
    const sequences = new Set<number>();
    for (const { record, spans } of parsed) {
      for (const [index, span] of spans.entries()) {
        if (span === null) continue;
        const key = { tenant: record.contextOf(index).tenant, traceId: span.trace_id };
        const trace = buffer.get(key);
        const sequence = trace?.sequence ?? tables.find(key);
        if (sequence === undefined) continue;
        if (rebuild !== undefined) {
          const lastMs = trace?.lastSpanAtMs ?? tables.lastMs(sequence) ?? expiredMs;
          if (lastMs > expiredMs || !rebuild.isExpired(key, sequence)) continue;
        }
        sequences.add(sequence);
      }
    }
    if (sequences.size === 0) return;
    if (rebuild !== undefined) flush();
    retention.evictExpiredOf([...sequences]);
  }

  #reportDropped(): void {
    const { indexer, onEvicted } = this.#options;
    const dropped = indexer.dropped - this.#reportedDropped;
    if (dropped === 0) return;
    this.#reportedDropped += dropped;
    onEvicted("span_cap", dropped);
  }
}
