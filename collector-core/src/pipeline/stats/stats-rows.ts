import { OTHER_LABEL_VALUE, type CappedLabel } from "../../api-schema/metrics.js";
import type { Labels } from "../metrics/series.js";

/** The labels that statistics are kept by (contract 3), and the type of a score. */
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

/** What is counted of one set of labels in the step under way. */
export class StatsRow {
  readonly cells: Float64Array;
  /** Something was counted in the step under way. */
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
 * The rows by their labels, at most `maxRows` for the life of the process: the caps of the labels bound them already,
 * and what is beyond goes to one row whose labels are all `__other__`.
 */
export class StatsRows {
  readonly all: StatsRow[] = [];
  readonly #byLabels = new Map<string, StatsRow>();
  #overflow: StatsRow | undefined;

  constructor(
    private readonly maxRows: number,
    private readonly rowSize: number,
  ) {}

  resolve(labels: Labels, evaluationType = ""): StatsRow {
    let key = "";
    for (const name of ROW_LABELS) {
      const value = name === "evaluation_type" ? evaluationType : (labels[name] ?? "");
      key += `${value.length}:${value}`;
    }
    return this.#byLabels.get(key) ?? this.#admit(key, labels, evaluationType);
  }

  #admit(key: string, labels: Labels, evaluationType: string): StatsRow {
    if (this.all.length >= this.maxRows - 1) {
      return (this.#overflow ??= this.#add(() => OTHER_LABEL_VALUE));
    }
    const row = this.#add((name) => (name === "evaluation_type" ? evaluationType : (labels[name] ?? "")));
    this.#byLabels.set(key, row);
    return row;
  }

  #add(valueOf: (name: RowLabel) => string): StatsRow {
    const labels = Object.fromEntries(ROW_LABELS.map((name) => [name, valueOf(name)]));
    const row = new StatsRow(this.all.length, labels as Record<RowLabel, string>, this.rowSize);
    this.all.push(row);
    return row;
  }
}
