import type { TimeSlice } from "../../../runtime/time-slice.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";

/** Consecutive traces that share bounds. */
export const TRACES_PER_BLOCK = 256;
/** Traces of the file between two checks of the clock. */
const TRACES_PER_READ = 64 * TRACES_PER_BLOCK;

const SQL = {
  // Two queries: one of both reads the whole table.
  ends: "SELECT (SELECT min(seq) FROM trace) AS oldest, (SELECT max(seq) FROM trace) AS newest",
  bounds:
    `SELECT seq / ${TRACES_PER_BLOCK} AS block, min(start_ms) AS earliest, max(start_ms) AS latest FROM trace ` +
    "WHERE seq >= ? AND seq < ? GROUP BY block",
} as const;

/** Consecutive traces: their sequences divided by {@link TRACES_PER_BLOCK}, and bounds of their starts. */
export interface StartBlock {
  readonly block: number;
  readonly earliestMs: number;
  readonly latestMs: number;
}

/**
 * Bounds of the starts of all traces: traces mostly arrive in the order in which they start, so that few blocks have those of a
 * page. Read from the file with the first question, and kept up to date from then on. Bounds only become wider, which costs
 * time and no result. An index would be another page in most commits.
 */
export class StartBounds {
  readonly #ends: SqlStatement;
  readonly #bounds: SqlStatement;
  readonly #blocks = new Map<number, StartBlock>();
  /** Undefined until the first question. */
  #reading: Promise<void> | undefined;
  #latestFirst: readonly StartBlock[] | undefined;

  constructor(db: SqlDatabase) {
    this.#ends = db.prepare(SQL.ends);
    this.#bounds = db.prepare(SQL.bounds);
  }

  /** A trace was written. */
  written(sequence: number, startMs: number): void {
    if (this.#reading !== undefined) this.#widen(blockOf(sequence), startMs, startMs);
  }

  /** The blocks, the one with the latest start first. Everything that was appended must be flushed. */
  async latestFirst(timeSlice: TimeSlice): Promise<readonly StartBlock[]> {
    const blocks = await this.#read(timeSlice);
    return (this.#latestFirst ??= [...blocks.values()].sort(
      (a, b) => b.latestMs - a.latestMs || b.block - a.block,
    ));
  }

  /** Returns a bound on the starts of all traces up to a sequence. */
  async latestUpTo(timeSlice: TimeSlice): Promise<(sequence: number) => number> {
    const blocks = [...(await this.#read(timeSlice)).values()].sort((a, b) => a.block - b.block);
    const latest = new Map<number, number>();
    let latestMs = Number.NEGATIVE_INFINITY;
    for (const each of blocks) {
      latestMs = Math.max(latestMs, each.latestMs);
      latest.set(each.block, latestMs);
    }
    const last = blocks.at(-1)?.block ?? -1;
    // A block without traces has no bound of its own; that of all traces is always right.
    return (sequence) => latest.get(Math.min(last, blockOf(sequence))) ?? latestMs;
  }

  async #read(timeSlice: TimeSlice): Promise<ReadonlyMap<number, StartBlock>> {
    await (this.#reading ??= this.#readFile(timeSlice).catch((error: unknown) => {
      // The next question reads the file again.
      this.#reading = undefined;
      throw error;
    }));
    // Of a file that is full, the oldest traces go all the time.
    const oldest = blockOf(Number(this.#ends.get()?.["oldest"] ?? Number.POSITIVE_INFINITY));
    for (const block of this.#blocks.keys())
      if (block < oldest && this.#blocks.delete(block)) this.#latestFirst = undefined;
    return this.#blocks;
  }

  /** Traces that are written meanwhile are noted by {@link written}. */
  async #readFile(timeSlice: TimeSlice): Promise<void> {
    const ends = this.#ends.get();
    const newest = Number(ends?.["newest"] ?? -1);
    const first = blockOf(Number(ends?.["oldest"] ?? 0)) * TRACES_PER_BLOCK;
    for (let from = first; from <= newest; from += TRACES_PER_READ) {
      for (const row of this.#bounds.all(from, from + TRACES_PER_READ))
        this.#widen(Number(row["block"]), Number(row["earliest"]), Number(row["latest"]));
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }

  #widen(block: number, earliestMs: number, latestMs: number): void {
    const known = this.#blocks.get(block);
    if (known !== undefined && earliestMs >= known.earliestMs && latestMs <= known.latestMs) return;
    this.#blocks.set(block, {
      block,
      earliestMs: Math.min(earliestMs, known?.earliestMs ?? earliestMs),
      latestMs: Math.max(latestMs, known?.latestMs ?? latestMs),
    });
    this.#latestFirst = undefined;
  }
}

function blockOf(sequence: number): number {
  return Math.floor(sequence / TRACES_PER_BLOCK);
}
