import { addTo } from "./stats-cells.js";

/**
 * The counts of one step for all label sets, as a sparse matrix: zeros take no memory.
 */
export interface StepBlock {
  /** Start of the step. */
  readonly startMs: number;
  /** Row ids. */
  readonly rows: Uint16Array;
  /** End of each row's entries, in the order of `rows`. */
  readonly ends: Uint32Array;
  /** The cell of each entry. */
  readonly cells: Uint8Array;
  /** The value of each entry. */
  readonly values: Float64Array;
  /** Memory of the block. */
  readonly bytes: number;
}

/** A row and its id. */
export interface BlockRow {
  readonly id: number;
  readonly cells: Float64Array;
}

/** Memory of a block's objects, without their contents. */
const BLOCK_OVERHEAD_BYTES = 800;

export function packBlock(startMs: number, rows: readonly BlockRow[]): StepBlock {
  let entries = 0;
  for (const { cells } of rows) for (const value of cells) if (value !== 0) entries++;
  const block = {
    startMs,
    rows: new Uint16Array(rows.length),
    ends: new Uint32Array(rows.length),
    cells: new Uint8Array(entries),
    values: new Float64Array(entries),
    bytes: BLOCK_OVERHEAD_BYTES + rows.length * 6 + entries * 9,
  };
  let at = 0;
  for (const [index, { id, cells }] of rows.entries()) {
    for (const [cell, value] of cells.entries()) {
      if (value === 0) continue;
      block.cells[at] = cell;
      block.values[at] = value;
      at++;
    }
    block.rows[index] = id;
    block.ends[index] = at;
  }
  return block;
}

/** Adds row `index` of a block to `sum`. */
export function addRow({ ends, cells, values }: StepBlock, index: number, sum: Float64Array): void {
  const end = ends[index] ?? 0;
  for (let at = index === 0 ? 0 : (ends[index - 1] ?? 0); at < end; at++) {
    addTo(sum, cells[at] ?? 0, values[at] ?? 0);
  }
}

/** Merges several blocks into one. */
export function mergeBlocks(startMs: number, blocks: readonly StepBlock[], rowSize: number): StepBlock {
  const rows = new Map<number, BlockRow>();
  for (const block of blocks) {
    for (const [index, id] of block.rows.entries()) {
      let row = rows.get(id);
      if (row === undefined) rows.set(id, (row = { id, cells: new Float64Array(rowSize) }));
      addRow(block, index, row.cells);
    }
  }
  return packBlock(startMs, [...rows.values()]);
}

/** Options of {@link BlockRing}. */
export interface BlockRingOptions {
  readonly maxBytes: number;
}

/** Keeps the newest blocks, bounded by bytes. Evicts the oldest first. */
export class BlockRing {
  readonly #blocks: StepBlock[] = [];
  #bytes = 0;
  #evictedMs: number | undefined;
  readonly #maxBytes: number;

  constructor({ maxBytes }: BlockRingOptions) {
    this.#maxBytes = maxBytes;
  }

  push(block: StepBlock): void {
    this.#blocks.push(block);
    this.#bytes += block.bytes;
    while (this.#bytes > this.#maxBytes && this.#blocks.length > 1) this.#evictedMs = this.#shift();
  }

  /** Evicts all steps that began before `ms`. */
  evictBefore(ms: number): void {
    while ((this.#blocks[0]?.startMs ?? ms) < ms) this.#shift();
  }

  /** The blocks of the steps from `ms` on, oldest first. A step without counts has no block. */
  from(ms: number): readonly StepBlock[] {
    const first = this.#blocks.findIndex((block) => block.startMs >= ms);
    return first < 0 ? [] : this.#blocks.slice(first);
  }

  /** Start of the newest step that was evicted for its size; undefined when there is none. */
  get evictedMs(): number | undefined {
    return this.#evictedMs;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #shift(): number | undefined {
    const block = this.#blocks.shift();
    this.#bytes -= block?.bytes ?? 0;
    return block?.startMs;
  }
}
