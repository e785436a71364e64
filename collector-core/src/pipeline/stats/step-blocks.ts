import { StatsSums } from "./stats-sums.js";
import { ByteReader, ByteWriter } from "./step-bytes.js";

/** The counts of one step for all label sets, packed: zeros take no memory. */
export interface StepBlock {
  /** Start of the step. */
  readonly startMs: number;
  /** Row ids. */
  readonly rows: Uint16Array;
  /** End of each row's bytes, in the order of `rows`. */
  readonly ends: Uint32Array;
  /** The cells and sketches of all rows, as {@link StatsSums} writes them. */
  readonly data: Uint8Array;
  /** Memory of the block. */
  readonly bytes: number;
}

/** A row and its id. */
export interface BlockRow {
  readonly id: number;
  write(writer: ByteWriter): void;
}

/** Memory of a block's objects, without their contents. */
const BLOCK_OVERHEAD_BYTES = 800;

export function packBlock(startMs: number, rows: Iterable<BlockRow>): StepBlock {
  const writer = new ByteWriter();
  const ids: number[] = [];
  const ends: number[] = [];
  for (const row of rows) {
    row.write(writer);
    ids.push(row.id);
    ends.push(writer.length);
  }
  return {
    startMs,
    rows: Uint16Array.from(ids),
    ends: Uint32Array.from(ends),
    data: writer.toBytes(),
    bytes: BLOCK_OVERHEAD_BYTES + ids.length * 6 + writer.length,
  };
}

/** Returns a reader of row `index` of a block. */
export function rowReader({ ends, data }: StepBlock, index: number): ByteReader {
  return new ByteReader(data, index === 0 ? 0 : ends[index - 1], ends[index]);
}

/** Adds row `index` of a block to `sums`. */
export function addRow(block: StepBlock, index: number, sums: StatsSums): void {
  sums.read(rowReader(block, index));
}

/** Merges several blocks into one. */
export function mergeBlocks(startMs: number, blocks: readonly StepBlock[]): StepBlock {
  const places = new Map<number, { readonly block: StepBlock; readonly index: number }[]>();
  for (const block of blocks) {
    for (const [index, id] of block.rows.entries()) {
      const found = places.get(id);
      if (found === undefined) places.set(id, [{ block, index }]);
      else found.push({ block, index });
    }
  }
  // One row at a time, because the sums of a row take 32 KiB.
  const sums = new StatsSums();
  function* rows(): Generator<BlockRow> {
    for (const [id, sources] of places) {
      sums.clear();
      for (const { block, index } of sources) addRow(block, index, sums);
      yield { id, write: (writer) => sums.write(writer) };
    }
  }
  return packBlock(startMs, rows());
}
