import type { SharedDeletions, TraceKey } from "../../interfaces.js";
import { traceKeyText } from "../../span/trace-key-text.js";
import type { Database } from "./database.js";
import { FACT_COLUMNS, type FactRow, type SpanRow } from "./span-row.js";
import { KEYS_PER_DELETE, keyOf, keysParameter, OF_KEYS } from "./trace-keys.js";
import type { TraceSums } from "./trace-sums.js";

/** Collaborators of {@link DeletedMeanwhile}. */
export interface DeletedMeanwhileOptions {
  readonly database: Database;
  readonly sums: Pick<TraceSums, "write">;
  /** Undefined if no other collector deletes. */
  readonly deletions: Pick<SharedDeletions, "look" | "lastOf"> | undefined;
}

const DELETE_SPANS = `DELETE FROM spans WHERE ${OF_KEYS} AND received_ms <= {deleted_ms:Int64}`;
const DELETE_TRACES = `DELETE FROM traces WHERE ${OF_KEYS}`;
const LATER_SPANS = `SELECT ${FACT_COLUMNS} FROM spans FINAL WHERE ${OF_KEYS}
ORDER BY arrival DESC LIMIT 1 BY tenant, trace_id`;

/**
 * Keeps spans out of ClickHouse whose trace another collector deletes before, or while, they are written. Whoever deletes tells the others
 * first: a deletion that is not known after an insert removes what was inserted.
 */
export class DeletedMeanwhile {
  readonly #options: DeletedMeanwhileOptions;
  /** They arrived by the clock of this collector, and nobody deletes before a file what is in it. */
  readonly #imported = new WeakSet<SpanRow>();

  constructor(options: DeletedMeanwhileOptions) {
    this.#options = options;
  }

  /** Exempts the row of an import. */
  exempt(row: SpanRow): void {
    this.#imported.add(row);
  }

  /** The rows whose traces were not deleted after they had arrived. */
  kept(rows: readonly SpanRow[]): readonly SpanRow[] {
    const { deletions } = this.#options;
    if (deletions === undefined) return rows;
    return rows.filter((row) => row.received_ms > deletions.lastOf(keyOf(row)) || this.#imported.has(row));
  }

  /** The traces that rows are about to be written of, with their last deletion that is known by now. */
  watch(rows: readonly SpanRow[]): WatchedTraces {
    const watched: WatchedTraces = new Map();
    const { deletions } = this.#options;
    if (deletions === undefined) return watched;
    for (const row of rows) {
      const key = keyOf(row);
      watched.set(traceKeyText(key), { key, deletedMs: deletions.lastOf(key) });
    }
    for (const row of rows) if (this.#imported.has(row)) watched.delete(traceKeyText(keyOf(row)));
    return watched;
  }

  /** Asks for new deletions. Resolves with the watched traces that were deleted since, to {@link remove}. */
  async look(watched: WatchedTraces): Promise<readonly DeletedTrace[]> {
    const { deletions } = this.#options;
    if (deletions === undefined || watched.size === 0) return [];
    await deletions.look();
    const deleted: DeletedTrace[] = [];
    for (const [text, { key, deletedMs: beforeMs }] of watched) {
      const deletedMs = deletions.lastOf(key);
      if (deletedMs <= beforeMs) continue;
      deleted.push({ key, deletedMs });
      watched.set(text, { key, deletedMs });
    }
    return deleted;
  }

  /** Removes what arrived before the deletion, and sums up what arrived after it. May run twice. */
  async remove(
    deleted: readonly DeletedTrace[],
    remains: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { database, sums } = this.#options;
    for (const deletedMs of new Set(deleted.map((trace) => trace.deletedMs))) {
      const together = deleted.filter((trace) => trace.deletedMs === deletedMs);
      for (let from = 0; from < together.length; from += KEYS_PER_DELETE) {
        const keys = keysParameter(together.slice(from, from + KEYS_PER_DELETE).map(({ key }) => key));
        await database.run(DELETE_SPANS, { keys, deleted_ms: deletedMs }, signal);
        await database.run(DELETE_TRACES, { keys }, signal);
        const later = await database.rows<FactRow>(LATER_SPANS, { keys }, signal);
        await sums.write(later, remains, signal);
      }
    }
  }
}

interface DeletedTrace {
  readonly key: TraceKey;
  readonly deletedMs: number;
}

/** By `traceKeyText`. */
type WatchedTraces = Map<string, DeletedTrace>;
