import { addTo, CELLS, readCells, writeCells } from "./stats-cells.js";
import { DurationSketch } from "./duration-sketch.js";
import type { ByteReader, ByteWriter } from "./step-bytes.js";

/** Sums of any number of rows: their cells, durations and times to first token. */
export class StatsSums {
  readonly cells = new Float64Array(CELLS);
  readonly duration = new DurationSketch();
  readonly ttft = new DurationSketch();

  add(other: StatsSums): void {
    for (let cell = 0; cell < CELLS; cell++) addTo(this.cells, cell, other.cells[cell] ?? 0);
    this.duration.add(other.duration);
    this.ttft.add(other.ttft);
  }

  /** Adds a row that was written. */
  read(reader: ByteReader): void {
    readCells(this.cells, reader);
    this.duration.read(reader);
    this.ttft.read(reader);
  }

  write(writer: ByteWriter): void {
    writeCells(this.cells, writer);
    this.duration.write(writer);
    this.ttft.write(writer);
  }

  clear(): void {
    this.cells.fill(0);
    this.duration.clear();
    this.ttft.clear();
  }
}
