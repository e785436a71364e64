import { OTHER_LABEL_VALUE, type CappedLabel } from "../../api-schema/metrics.js";
import type { Labels } from "../metrics/series.js";

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

/** The counts of one label set in the current step. */
export class StatsRow {
  readonly cells: Float64Array;
  /** True when the row was used in the current step. */
  isTouched = false;

  constructor(
    readonly id: number,
    readonly labels: Readonly<Record<RowLabel, string>>,
    size: number,
  ) {
    this.cells = new Float64Array(size);
  }
}

/**
 * Finds rows by their labels. Keeps at most `maxRows` rows for the life of the process. The label caps usually keep the
 * number lower; excess label sets share one row whose labels are all `__other__`.
 */
export class StatsRows {
  readonly all: StatsRow[] = [];
  readonly #byLabels = new Map<string, StatsRow>();
  #overflow: StatsRow | undefined;

  readonly #maxRows: number;
  readonly #rowSize: number;

  constructor(maxRows: number, rowSize: number) {
    this.#maxRows = maxRows;
    this.#rowSize = rowSize;
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
    const row = new StatsRow(this.all.length, labels as Record<RowLabel, string>, this.#rowSize);
    this.all.push(row);
    return row;
  }
}
