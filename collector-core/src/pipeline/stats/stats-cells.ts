import { ERROR_CATEGORIES } from "../../span/error-category.js";
import { DamagedStepError } from "./damaged-step.js";
import { finiteSum } from "../../span/finite-sum.js";
import type { ByteReader, ByteWriter } from "./step-bytes.js";

/**
 * Positions in a row of cells. A row holds the counts of one label set in one step. Closed steps are written with these
 * positions: a change needs another format (`closed-step.ts`).
 */
export const CELL = {
  spans: 0,
  calls: 1,
  callErrors: 2,
  toolCalls: 3,
  toolErrors: 4,
  tokensInput: 5,
  tokensOutput: 6,
  tokensCached: 7,
  costUsd: 8,
  /** Output tokens and total seconds of the calls with a known duration. */
  timedTokens: 9,
  timedSeconds: 10,
  scores: 11,
  scoreSum: 12,
  /** The first cell of six, in the order of {@link ERROR_CATEGORIES}. */
  errors: 13,
  /** The part of `costUsd` that a collector computed. After the errors, because format 1 of closed steps does not have it. */
  computedCostUsd: 13 + ERROR_CATEGORIES.length,
} as const;

/** Number of cells in a row. */
export const CELLS = CELL.computedCostUsd + 1;

/** Adds to a cell. */
export function addTo(cells: Float64Array, cell: number, amount: number): void {
  cells[cell] = finiteSum(cells[cell] ?? 0, amount);
}

/** Writes the cells other than 0: integers as varints, other numbers in full. */
export function writeCells(cells: Float64Array, writer: ByteWriter): void {
  let used = 0;
  let fractions = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    const value = cells[cell] ?? 0;
    if (value === 0) continue;
    used |= 1 << cell;
    if (!Number.isSafeInteger(value)) fractions |= 1 << cell;
  }
  writer.varint(used);
  writer.varint(fractions);
  for (let cell = 0; cell < CELLS; cell++) {
    if ((used & (1 << cell)) === 0) continue;
    const value = cells[cell] ?? 0;
    if ((fractions & (1 << cell)) === 0) writer.varint(value);
    else writer.float64(value);
  }
}

/** Adds cells that were written. */
export function readCells(cells: Float64Array, reader: ByteReader): void {
  const used = reader.varint();
  const fractions = reader.varint();
  if (used >= 2 ** CELLS || fractions >= 2 ** CELLS || (fractions & ~used) !== 0) {
    throw new DamagedStepError(`a row uses the cells ${used}, of them ${fractions} for fractions`);
  }
  for (let cell = 0; cell < CELLS; cell++) {
    if ((used & (1 << cell)) === 0) continue;
    const value = (fractions & (1 << cell)) === 0 ? reader.varint() : reader.float64();
    if (!(value >= 0 && value <= Number.MAX_VALUE)) throw new DamagedStepError(`a cell holds ${value}`);
    addTo(cells, cell, value);
  }
}
