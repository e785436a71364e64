import { LRUCache } from "lru-cache";
import { SeededHash } from "../../../hashing/seeded-hash.js";
import { VALUE_FIELDS, type TraceValues, type ValueField } from "../../traces/trace-values.js";
import { isText, listOf } from "../../traces/stored-shape.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";

/** A field by which traces are filtered: a label of a value set. */
export type LabelField = ValueField | "tenant" | "status" | "evaluation";

const MAX_CACHED = 4096;

/** Options of {@link ValueSets}. */
export interface ValueSetsOptions {
  readonly hashSeed: Int32Array;
  /** Called for a set whose labels are damaged. @param isLost - they cannot be read from what they were linked to either. */
  readonly onDamaged: (id: number, isLost: boolean) => void;
}

/** The combinations of values by which traces are filtered and counted. Many traces share one. */
export class ValueSets {
  readonly #hash: SeededHash;
  readonly #onDamaged: ValueSetsOptions["onDamaged"];
  /** The labels of sets whose rows are damaged, as they are to be written again. */
  readonly #repaired = new Map<number, string>();
  readonly #idsByText = new LRUCache<string, number>({ max: MAX_CACHED });
  /** Values are interned: most traces have the object of an earlier one. */
  #idsByValues = new WeakMap<TraceValues, number>();
  readonly #valuesById = new LRUCache<number, TraceValues>({ max: MAX_CACHED });
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;

  constructor(db: SqlDatabase, { hashSeed, onDamaged }: ValueSetsOptions) {
    this.#onDamaged = onDamaged;
    this.#hash = new SeededHash(hashSeed);
    this.#statements = {
      find: db.prepare(SQL.find),
      read: db.prepare(SQL.read),
      linked: db.prepare(SQL.linked),
      setLabels: db.prepare(SQL.setLabels),
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
    const hash = hashOf(text, this.#hash);
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
    const labels = isSoundValueSet(row, this.#hash)
      ? parseLabels(row)
      : this.#linkedLabels(id, Number(row["hash"]));
    if (labels === undefined) return undefined;
    const values = fromLabels(labels);
    this.#valuesById.set(id, values);
    return values;
  }

  /** The labels of a set whose row is damaged, by its links; undefined if those are not the labels of its hash either. */
  #linkedLabels(id: number, hash: number): Label[] | undefined {
    const labels = this.#linksOf(id);
    const text = JSON.stringify(labelsOf(fromLabels(labels)));
    const isLost = hash !== hashOf(text, this.#hash);
    this.#onDamaged(id, isLost);
    if (isLost) return undefined;
    this.#repaired.set(id, text);
    return labels;
  }

  /** What a set is linked to. */
  #linksOf(id: number): Label[] {
    return this.#statements.linked
      .all(id)
      .map((row): Label => [String(row["field"]) as LabelField, String(row["value"])]);
  }

  #labelsIn(id: number, row: SqlRow): Label[] {
    const labels = isSoundValueSet(row, this.#hash) ? parseLabels(row) : undefined;
    return labels ?? this.#linksOf(id);
  }

  /** The id of the set with another status; undefined if the set is gone. */
  idWithStatus(id: number, status: string): number | undefined {
    const values = this.valuesOf(id);
    // Not interned: `idOf` would keep an entry for an object that nobody has.
    return values && this.#idByText({ ...values, status });
  }

  /** Removes those of the sets that no trace has any more, with their labels. Writes damaged labels of others again. */
  removeUnused(ids: Iterable<number>): void {
    const statements = this.#statements;
    for (const [id, text] of this.#repaired) statements.setLabels.run(text, id);
    this.#repaired.clear();
    for (const id of ids) {
      if (statements.isUsed.get(id) !== undefined) continue;
      const row = statements.read.get(id);
      if (row === undefined) continue;
      const text = String(row["labels"]);
      for (const [field, value] of this.#labelsIn(id, row)) {
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
  read: "SELECT hash, labels FROM value_set WHERE id = ?",
  linked: "SELECT field, value FROM value_set_label JOIN label ON label.id = label WHERE value_set = ?",
  setLabels: "UPDATE value_set SET labels = ? WHERE id = ?",
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

const isLabels = listOf(listOf(isText));

/** The labels of a row; undefined if they are damaged. */
function parseLabels(row: SqlRow): Label[] | undefined {
  try {
    const labels: unknown = JSON.parse(String(row["labels"]));
    return isLabels(labels) ? (labels as Label[]) : undefined;
  } catch {
    return undefined;
  }
}

/** True if a row of the table `value_set` is what was written. @param hash - with the seed of the file. */
export function isSoundValueSet(row: SqlRow, hash: SeededHash): boolean {
  return row["hash"] === hashOf(String(row["labels"]), hash);
}

function hashOf(text: string, hash: SeededHash): number {
  return hash.of(0, text).number;
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
  const lists = Object.fromEntries(VALUE_FIELDS.map((field) => [field, all(field)])) as Record<
    ValueField,
    string[]
  >;
  return {
    tenant: one("tenant"),
    status: one("status"),
    hasEvaluation: one("evaluation") === "true",
    ...lists,
  };
}
