import type { FileWriter } from "./file-writer.js";
import type { NumberRepair } from "./number-repair.js";
import type { TraceBuffer } from "./trace-buffer.js";
import type { RunningTraceRow, TraceTables } from "./trace-tables.js";

/** Silent traces that are abandoned in one step. */
const TRACES_PER_STEP = 250;

/** Options of {@link SilentTraces}. */
export interface SilentTracesOptions {
  readonly tables: TraceTables;
  readonly buffer: TraceBuffer;
  readonly file: FileWriter;
  readonly numberRepair: Pick<NumberRepair, "isWaiting">;
  /** Store time. */
  readonly nowMs: () => number;
  /** Writes what changed. */
  readonly flush: () => void;
  /** Has the damaged summary of a trace written again. @returns false if its spans cannot be read. */
  readonly repairSummary: (sequence: number) => boolean;
  /** True while later spans of a trace may follow from its chunks. */
  readonly isRebuilding: () => boolean;
}

/** Running traces without an update for too long. They are abandoned: queries regard the time, and the file follows in steps. */
export class SilentTraces {
  readonly #options: SilentTracesOptions;
  #nextMs: number;

  constructor(options: SilentTracesOptions) {
    this.#options = options;
    this.#nextMs = options.tables.nextAbandonedMs();
  }

  /**
   * Running traces that were last updated long enough before then are abandoned, although the file has them as running. Undefined
   * if there are none.
   */
  get abandonedMs(): number | undefined {
    const nowMs = this.#options.nowMs();
    return nowMs >= this.#nextMs ? nowMs : undefined;
  }

  /** Rows of traces were written. */
  flushed(): void {
    this.#nextMs = this.#options.tables.nextAbandonedMs();
  }

  /** Writes that some are abandoned. @returns true if there are more. */
  step(): boolean {
    const { tables, buffer, file, numberRepair, nowMs, flush, isRebuilding } = this.#options;
    const { abandonedMs } = this;
    if (abandonedMs === undefined || isRebuilding()) return false;
    // What changed since the last flush may not be silent any more.
    flush();
    for (const row of tables.abandonedAt(abandonedMs, TRACES_PER_STEP)) {
      if (!row.isSound && numberRepair.isWaiting(row.sequence)) continue;
      const trace = buffer.get(row.key);
      if (trace === undefined && row.summary !== undefined) file.abandon(row, row.summary);
      else if (trace !== undefined) file.changed(trace);
      else this.#abandonDamaged(row);
    }
    flush();
    this.flushed();
    return nowMs() >= this.#nextMs;
  }

  /** The summary cannot be changed, only written again. */
  #abandonDamaged(row: RunningTraceRow): void {
    const { file, repairSummary } = this.#options;
    if (!repairSummary(row.sequence)) file.abandon(row, []);
  }
}
