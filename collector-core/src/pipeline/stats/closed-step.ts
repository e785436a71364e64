import { crc32 } from "node:zlib";
import { DamagedStepError } from "./damaged-step.js";
import { ROW_LABELS, type RowLabels, type StatsRows } from "./stats-rows.js";
import { StatsSums } from "./stats-sums.js";
import { rowReader, type StepBlock } from "./step-blocks.js";
import { ByteReader, ByteWriter } from "./step-bytes.js";

/**
 * Format of `ClosedStep.data`. Increment it when the labels, the cells, the bins or their encoding change. Format 2:
 * the texts of all labels; the rows, each with the numbers of its label texts, its length, cells and sketches; a CRC-32.
 * Format 1 has one cell less at the end, and is read alike.
 */
export const CLOSED_STEP_FORMAT = 2;

/** Whether {@link deserializeStep} reads a format. */
export function isReadableFormat(format: number): boolean {
  return format === 1 || format === CLOSED_STEP_FORMAT;
}

/** A row of a closed step. */
export interface ClosedRow {
  readonly labels: RowLabels;
  /** Cells and sketches, as {@link StatsSums} reads them. */
  readonly data: Uint8Array;
}

const CHECKSUM_BYTES = 4;
/** Row ids have 16 bits. */
const MAX_ROWS = 65_535;
/** UTF-8 bytes of the longest label value, of 1,024 characters. */
const MAX_TEXT_BYTES = 4096;

/** @param rows - the rows that the ids of the block refer to. */
export function serializeStep(block: StepBlock, { all }: Pick<StatsRows, "all">): Uint8Array {
  const texts = new Map<string, number>();
  const rows = new ByteWriter();
  for (const [index, id] of block.rows.entries()) {
    const labels = all[id]?.labels;
    for (const name of ROW_LABELS) {
      const text = labels?.[name] ?? "";
      const number = texts.get(text) ?? texts.size;
      texts.set(text, number);
      rows.varint(number);
    }
    const reader = rowReader(block, index);
    rows.varint(reader.left);
    rows.bytes(reader.bytes(reader.left));
  }
  const writer = new ByteWriter();
  writer.varint(texts.size);
  for (const text of texts.keys()) writer.text(text);
  writer.varint(block.rows.length);
  writer.bytes(rows.toBytes());
  writer.uint32(crc32(writer.toBytes()));
  return writer.toBytes();
}

/** Reads what {@link serializeStep} wrote. Throws a {@link DamagedStepError} for other bytes. */
export function deserializeStep(data: Uint8Array): ClosedRow[] {
  const length = Math.max(0, data.length - CHECKSUM_BYTES);
  const checksum = new ByteReader(data.subarray(length)).uint32();
  if (crc32(data.subarray(0, length)) !== checksum) throw new DamagedStepError("its checksum is wrong");
  const reader = new ByteReader(data, 0, length);
  const texts: string[] = [];
  for (let left = reader.varint(); left > 0; left--) texts.push(reader.text(MAX_TEXT_BYTES));
  const count = reader.varint();
  if (count > MAX_ROWS) throw new DamagedStepError(`it has ${count} rows, at most ${MAX_ROWS} are allowed`);
  const sums = new StatsSums();
  const rows: ClosedRow[] = [];
  for (let row = 0; row < count; row++) {
    const labels = readLabels(reader, texts);
    const bytes = reader.bytes(reader.varint());
    sums.clear();
    const rowBytes = new ByteReader(bytes);
    sums.read(rowBytes);
    if (rowBytes.left > 0) throw new DamagedStepError(`row ${row} has ${rowBytes.left} bytes too many`);
    rows.push({ labels, data: bytes });
  }
  if (reader.left > 0) throw new DamagedStepError(`it has ${reader.left} bytes too many`);
  return rows;
}

function readLabels(reader: ByteReader, texts: readonly string[]): RowLabels {
  const entries = ROW_LABELS.map((name) => {
    const number = reader.varint();
    const text = texts[number];
    if (text === undefined) throw new DamagedStepError(`text ${number} of ${texts.length} is missing`);
    return [name, text] as const;
  });
  return Object.fromEntries(entries) as RowLabels;
}
