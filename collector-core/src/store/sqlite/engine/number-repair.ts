import { readRecordedSpan, type ChunkReader } from "./chunk-reader.js";
import type { FileWriter } from "./file-writer.js";
import type { TraceBuffer } from "./trace-buffer.js";
import type { StoredTraceRow, TraceTables } from "./trace-tables.js";

/** Traces repaired at once: a few milliseconds. */
const TRACES_PER_STEP = 50;
/** Traces that are remembered, so that each is tried once. */
const MAX_TRACES = 10_000;

/** Options of {@link NumberRepair}. */
export interface NumberRepairOptions {
  readonly buffer: TraceBuffer;
  readonly tables: TraceTables;
  readonly reader: ChunkReader;
  readonly file: Pick<FileWriter, "begin" | "changed">;
}

/** Writes the damaged numbers of traces again, from their spans. */
export class NumberRepair {
  readonly #options: NumberRepairOptions;
  readonly #known = new Set<number>();
  #waiting: number[] = [];

  constructor(options: NumberRepairOptions) {
    this.#options = options;
  }

  /** The numbers of a trace turned out to be damaged. */
  add(sequence: number): void {
    if (this.#known.has(sequence) || this.#known.size >= MAX_TRACES) return;
    this.#known.add(sequence);
    this.#waiting.push(sequence);
  }

  /** True until the trace was tried. */
  isWaiting(sequence: number): boolean {
    return this.#waiting.includes(sequence);
  }

  /** Has some traces written with the next flush. */
  step(): void {
    if (this.#waiting.length === 0) return;
    for (const sequence of this.#waiting.splice(0, TRACES_PER_STEP)) this.#repair(sequence);
  }

  #repair(sequence: number): void {
    const { buffer, tables, file } = this.#options;
    const row = tables.read(sequence);
    if (row === undefined) return;
    const buffered = buffer.get(row.key);
    if (buffered === undefined && !isReadable(row, this.#options.reader)) return;
    file.begin();
    tables.restoreKeyHash(sequence, row.key);
    // Its key was damaged, and a span that arrived meanwhile has begun another trace.
    if (buffered !== undefined && buffered.sequence !== sequence) return;
    file.changed(buffered ?? buffer.load(row));
  }
}

/** True if the first span of a trace can be read, and is of that trace. */
export function isReadable({ key, places }: StoredTraceRow, reader: ChunkReader): boolean {
  const [place] = [...places.spans, ...places.evaluations];
  const found = place && reader.find(place);
  const recorded = found && readRecordedSpan(found);
  return recorded?.span.trace_id === key.traceId && recorded.context.tenant === key.tenant;
}
