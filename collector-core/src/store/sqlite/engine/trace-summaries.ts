import type { TraceSummary } from "../../../api-schema/trace.js";
import type { TraceKey } from "../../../interfaces.js";
import { ABANDONED } from "../../traces/summary-fields.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import { summarizeTrace } from "../../traces/trace-summary.js";
import type { ChunkReader } from "./chunk-reader.js";
import type { FileWriter } from "./file-writer.js";
import { isReadable } from "./number-repair.js";
import type { Retention } from "./retention.js";
import type { TraceBuffer } from "./trace-buffer.js";
import type { StoredTraceRow, TraceTables } from "./trace-tables.js";

/** Options of {@link TraceSummaries}. */
export interface TraceSummariesOptions {
  readonly buffer: TraceBuffer;
  readonly tables: TraceTables;
  readonly reader: ChunkReader;
  readonly file: Pick<FileWriter, "changed">;
  readonly retention: Pick<Retention, "expiredMs" | "checkExpired">;
  /** Store time. */
  readonly nowMs: () => number;
  /** Running traces that are silent since then are abandoned, although the file has them as running. */
  readonly abandonedMs: () => number | undefined;
  /** Called for a trace whose summary is damaged. */
  readonly onDamaged: (sequence: number) => void;
}

/** Finds traces that are not expired, in the buffer and in the file, and summarizes them. */
export class TraceSummaries {
  readonly #options: TraceSummariesOptions;

  constructor(options: TraceSummariesOptions) {
    this.#options = options;
  }

  get #expiredMs(): number {
    return this.#options.retention.expiredMs ?? Number.NEGATIVE_INFINITY;
  }

  /** The summary of a trace, also of one that changed since the last flush. */
  of(key: TraceKey): TraceSummary | undefined {
    const { buffer, nowMs } = this.#options;
    const trace = buffer.get(key);
    if (trace === undefined) {
      const row = this.find(key);
      return row && this.stored(row.sequence);
    }
    if (trace.lastSpanAtMs <= this.#expiredMs) return undefined;
    return summarizeTrace(trace, buffer.spans, nowMs());
  }

  /** A trace of the buffer that is not expired. */
  findBuffered(key: TraceKey): TraceRecord | undefined {
    const { buffer, retention } = this.#options;
    retention.checkExpired();
    const trace = buffer.get(key);
    return trace !== undefined && trace.lastSpanAtMs > this.#expiredMs ? trace : undefined;
  }

  /** The row of a trace that is not expired. */
  find(key: TraceKey): StoredTraceRow | undefined {
    const { tables } = this.#options;
    const sequence = tables.find(key);
    const row = sequence === undefined ? undefined : tables.read(sequence);
    return row !== undefined && row.lastMs > this.#expiredMs ? row : undefined;
  }

  /** Summarizes a trace from its spans, because its summary is damaged. Undefined if it is gone, or its spans cannot be read. */
  repaired(sequence: number): TraceSummary | undefined {
    const { buffer, tables, reader, file, nowMs, onDamaged } = this.#options;
    const row = tables.read(sequence);
    if (row === undefined) return undefined;
    onDamaged(sequence);
    // Another key: the damage is there.
    if (!isReadable(row, reader)) return undefined;
    const trace = buffer.get(row.key) ?? buffer.load(row);
    file.changed(trace);
    return summarizeTrace(trace, buffer.spans, nowMs());
  }

  /** The summary that the file has, as of now. */
  stored(sequence: number): TraceSummary | undefined {
    const { tables, abandonedMs: abandoned } = this.#options;
    const summary = tables.summary(sequence) ?? this.repaired(sequence);
    const abandonedMs = abandoned();
    if (summary === undefined || abandonedMs === undefined) return summary;
    if (!tables.isAbandonedAt(sequence, abandonedMs)) return summary;
    return { ...summary, status: ABANDONED, running: false };
  }

  /** The tenants that have a trace of that id, newest trace first. */
  tenantsOf(traceId: string): string[] {
    const { tables } = this.#options;
    const expiredMs = this.#expiredMs;
    return tables
      .ofEveryTenant(traceId)
      .filter(({ sequence }) => (tables.lastMs(sequence) ?? expiredMs) > expiredMs)
      .map(({ tenant }) => tenant);
  }
}
