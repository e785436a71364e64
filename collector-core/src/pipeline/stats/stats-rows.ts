import { OTHER_LABEL_VALUE, type CappedLabel } from "../../api-schema/metrics.js";
import type { Labels } from "../metrics/series.js";
import { LiveSketches } from "./live-sketches.js";
import { CELLS, writeCells } from "./stats-cells.js";
import type { BlockRow } from "./step-blocks.js";
import type { ByteWriter } from "./step-bytes.js";

/** The labels of a statistics row (contract 3), including the type of a score. */
export const ROW_LABELS = [
  "service",
  "env",
  "tenant",
  "span_type",
  "model",
  "provider",
  "tool_name",
  "agent",
  "evaluation_type",
] as const satisfies readonly (CappedLabel | "evaluation_type")[];
export type RowLabel = (typeof ROW_LABELS)[number];
export type RowLabels = Readonly<Record<RowLabel, string>>;

/** The counts of one label set in the current step. */
export class StatsRow implements BlockRow {
  readonly cells = new Float64Array(CELLS);
  /** True when the row was used in the current step. */
  isTouched = false;
  readonly #sketches: LiveSketches;

  constructor(
    readonly id: number,
    readonly labels: RowLabels,
    sketches: LiveSketches,
  ) {
    this.#sketches = sketches;
  }

  addDuration(ms: number): void {
    this.#sketches.add(2 * this.id, ms);
  }

  addTtft(ms: number): void {
    this.#sketches.add(2 * this.id + 1, ms);
  }

  /** Writes the row as `StatsSums` reads it. */
  write(writer: ByteWriter): void {
    writeCells(this.cells, writer);
    this.#sketches.write(2 * this.id, writer);
    this.#sketches.write(2 * this.id + 1, writer);
  }
}

/**
 * Finds rows by their labels. Keeps at most `maxRows` rows for the life of the process. The label caps usually keep the
 * number lower; excess label sets share one row whose labels are all `__other__`.
 */
export class StatsRows {
  readonly all: StatsRow[] = [];
  /** The durations of all rows in the current step. */
  readonly sketches: LiveSketches;
  readonly #byLabels = new Map<string, StatsRow>();
  #overflow: StatsRow | undefined;
  readonly #maxRows: number;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
    this.sketches = new LiveSketches(2 * maxRows);
  }

  resolve(labels: Labels, evaluationType = ""): StatsRow {
    let key = "";
    for (const name of ROW_LABELS) {
      const value = name === "evaluation_type" ? evaluationType : (labels[name] ?? "");
      key += `${value.length}:${value}`;
    }
    return this.#byLabels.get(key) ?? this.#admit(key, labels, evaluationType);
  }

  #admit(key: string, labels: Labels, evaluationType: string): StatsRow {
    if (this.all.length >= this.#maxRows - 1) {
      return (this.#overflow ??= this.#add(() => OTHER_LABEL_VALUE));
    }
    const row = this.#add((name) => (name === "evaluation_type" ? evaluationType : (labels[name] ?? "")));
    this.#byLabels.set(key, row);
    return row;
  }

  #add(valueOf: (name: RowLabel) => string): StatsRow {
    const labels = Object.fromEntries(ROW_LABELS.map((name) => [name, valueOf(name)]));
    const row = new StatsRow(this.all.length, labels as Record<RowLabel, string>, this.sketches);
    this.all.push(row);
    return row;
  }
}
