import { addTo } from "./stats-cells.js";

/**
 * What was counted in one step, of all sets of labels, without its zeros: a step in which little happened costs little.
 */
export interface StepBlock {
  /** When the step began. */
  readonly startMs: number;
  /** The ids of the rows, in order of `ends`. */
  readonly rows: Uint16Array;
  /** Where the entries of each row end. */
  readonly ends: Uint32Array;
  /** Of each entry the cell. */
  readonly cells: Uint8Array;
  /** Of each entry the value. */
  readonly values: Float64Array;
  /** Memory that it takes. */
  readonly bytes: number;
}

/** A row and its id. */
export interface BlockRow {
  readonly id: number;
  readonly cells: Float64Array;
}

/** What the objects of a block take beside their contents. */
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

/** Several blocks as one. */
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

/** What bounds a {@link BlockRing}. */
export interface BlockRingOptions {
  readonly maxBytes: number;
}

/** The newest blocks, by age and by bytes: the oldest go first. */
export class BlockRing {
  readonly #blocks: StepBlock[] = [];
  #bytes = 0;
  #lostMs: number | undefined;

  constructor(private readonly options: BlockRingOptions) {}

  push(block: StepBlock): void {
    this.#blocks.push(block);
    this.#bytes += block.bytes;
    while (this.#bytes > this.options.maxBytes && this.#blocks.length > 1) this.#lostMs = this.#shift();
  }

  /** Lets go of all steps that began before. */
  forgetBefore(ms: number): void {
    while ((this.#blocks[0]?.startMs ?? ms) < ms) this.#shift();
  }

  /** The blocks of the steps that began then or later, oldest first. Steps in which nothing was counted have none. */
  from(ms: number): readonly StepBlock[] {
    const first = this.#blocks.findIndex((block) => block.startMs >= ms);
    return first < 0 ? [] : this.#blocks.slice(first);
  }

  /** When the newest step began that had to go before its time, for want of room; undefined where none had to. */
  get lostMs(): number | undefined {
    return this.#lostMs;
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
