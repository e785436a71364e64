import { LRUCache } from "lru-cache";
import { SeededHash } from "../../../hashing/seeded-hash.js";
import type { TraceValues, ValueField } from "../../traces/trace-values.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";

/** The fields of {@link TraceValues} that have several values. */
const VALUE_FIELDS = [
  "service",
  "env",
  "agent",
  "model",
  "span_type",
  "evaluation_type",
] as const satisfies readonly ValueField[];

/** A field by which traces are filtered: a label of a value set. */
export type LabelField = ValueField | "tenant" | "status" | "evaluation";

const MAX_CACHED = 4096;

/** The combinations of values by which traces are filtered and counted. Many traces share one. */
export class ValueSets {
  readonly #hash: SeededHash;
  readonly #idsByText = new LRUCache<string, number>({ max: MAX_CACHED });
  /** Values are interned: most traces have the object of an earlier one. */
  #idsByValues = new WeakMap<TraceValues, number>();
  readonly #valuesById = new LRUCache<number, TraceValues>({ max: MAX_CACHED });
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;

  constructor(db: SqlDatabase, hashSeed: Int32Array) {
    this.#hash = new SeededHash(hashSeed);
    this.#statements = {
      find: db.prepare(SQL.find),
      read: db.prepare(SQL.read),
      add: db.prepare(SQL.add),
      findLabel: db.prepare(SQL.findLabel),
      addLabel: db.prepare(SQL.addLabel),
      link: db.prepare(SQL.link),
      isUsed: db.prepare(SQL.isUsed),
      labelsOf: db.prepare(SQL.labelsOf),
      unlink: db.prepare(SQL.unlink),
      removeLabel: db.prepare(SQL.removeLabel),
      remove: db.prepare(SQL.remove),
    };
  }

  /** The id of a set, which is added if it is new. */
  idOf(values: TraceValues): number {
    const known = this.#idsByValues.get(values);
    if (known !== undefined) return known;
    const id = this.#idByText(values);
    this.#idsByValues.set(values, id);
    return id;
  }

  #idByText(values: TraceValues): number {
    const text = JSON.stringify(labelsOf(values));
    const cached = this.#idsByText.get(text);
    if (cached !== undefined) return cached;
    const hash = this.#hash.of(0, text).number;
    const known = this.#statements.find.all(hash).find((row) => row["labels"] === text);
    const id = known === undefined ? this.#add(hash, text, values) : Number(known["id"]);
    this.#idsByText.set(text, id);
    return id;
  }

  #add(hash: number, text: string, values: TraceValues): number {
    const statements = this.#statements;
    const id = statements.add.run(hash, text).lastInsertRowid;
    for (const [field, value] of labelsOf(values)) {
      const label = this.labelId(field, value) ?? statements.addLabel.run(field, value).lastInsertRowid;
      statements.link.run(label, id);
    }
    return id;
  }

  /** The id of a label; undefined if no trace has it. */
  labelId(field: LabelField, value: string): number | undefined {
    const row = this.#statements.findLabel.get(field, value);
    return row === undefined ? undefined : Number(row["id"]);
  }

  /** The values of a set; undefined if no trace has it any more. */
  valuesOf(id: number): TraceValues | undefined {
    const cached = this.#valuesById.get(id);
    if (cached !== undefined) return cached;
    const row = this.#statements.read.get(id);
    // Nothing is cached then: another set may get the id.
    if (row === undefined) return undefined;
    const labels = parseLabels(row);
    if (labels === undefined) return undefined;
    const values = fromLabels(labels);
    this.#valuesById.set(id, values);
    return values;
  }

  /** The id of the set with another status; undefined if the set is gone. */
  idWithStatus(id: number, status: string): number | undefined {
    const values = this.valuesOf(id);
    // Not interned: `idOf` would keep an entry for an object that nobody has.
    return values && this.#idByText({ ...values, status });
  }

  /** Removes those of the sets that no trace has any more, with their labels. */
  removeUnused(ids: Iterable<number>): void {
    const statements = this.#statements;
    for (const id of ids) {
      if (statements.isUsed.get(id) !== undefined) continue;
      const row = statements.read.get(id);
      if (row === undefined) continue;
      const text = String(row["labels"]);
      for (const [field, value] of parseLabels(row) ?? []) {
        const label = this.labelId(field, value);
        if (label === undefined) continue;
        statements.unlink.run(label, id);
        if (statements.labelsOf.get(label) === undefined) statements.removeLabel.run(label);
      }
      statements.remove.run(id);
      this.#idsByText.delete(text);
      this.#idsByValues = new WeakMap();
      this.#valuesById.delete(id);
    }
  }
}

const SQL = {
  find: "SELECT id, labels FROM value_set WHERE hash = ?",
  read: "SELECT labels FROM value_set WHERE id = ?",
  add: "INSERT INTO value_set (hash, labels) VALUES (?, ?)",
  findLabel: "SELECT id FROM label WHERE field = ? AND value = ?",
  addLabel: "INSERT INTO label (field, value) VALUES (?, ?)",
  link: "INSERT OR IGNORE INTO value_set_label (label, value_set) VALUES (?, ?)",
  isUsed: "SELECT 1 FROM trace WHERE value_set = ? LIMIT 1",
  labelsOf: "SELECT 1 FROM value_set_label WHERE label = ? LIMIT 1",
  unlink: "DELETE FROM value_set_label WHERE label = ? AND value_set = ?",
  removeLabel: "DELETE FROM label WHERE id = ?",
  remove: "DELETE FROM value_set WHERE id = ?",
} as const;

type Label = readonly [field: LabelField, value: string];

/** The labels of a row; undefined if they are damaged. */
function parseLabels(row: SqlRow): Label[] | undefined {
  try {
    return JSON.parse(String(row["labels"])) as Label[];
  } catch {
    return undefined;
  }
}

function labelsOf(values: TraceValues): Label[] {
  const labels: Label[] = [
    ["tenant", values.tenant],
    ["status", values.status],
    ["evaluation", String(values.hasEvaluation)],
  ];
  for (const field of VALUE_FIELDS) for (const value of values[field].toSorted()) labels.push([field, value]);
  return labels;
}

function fromLabels(labels: readonly Label[]): TraceValues {
  const all = (field: LabelField): string[] =>
    labels.filter((label) => label[0] === field).map(([, value]) => value);
  const one = (field: LabelField): string => all(field)[0] ?? "";
  return {
    tenant: one("tenant"),
    status: one("status"),
    hasEvaluation: one("evaluation") === "true",
    service: all("service"),
    env: all("env"),
    agent: all("agent"),
    model: all("model"),
    span_type: all("span_type"),
    evaluation_type: all("evaluation_type"),
  };
}
