import type { StoredEvaluation } from "../../../interfaces.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import { isNumber, isText, objectOf, orAbsent } from "../../traces/stored-shape.js";
import { DamageError, parseSealed, sealJson } from "../records/sealed.js";
import { prepareAll } from "./trace-tables.js";

/** Evaluations that the file keeps (contract 8). */
const MAX_EVALUATIONS = 20_000;

const SQL = {
  add: "INSERT INTO evaluation (trace_hash, ended_ms, json) VALUES (?, ?, ?)",
  trim: "DELETE FROM evaluation WHERE seq <= (SELECT max(seq) FROM evaluation) - ?",
} as const;

/** An evaluation to be written. */
export interface PendingEvaluation {
  readonly traceHash: number;
  readonly endedMs: number;
  readonly json: string;
}

/** Writes the rows of the table `evaluation`. */
export class EvaluationRows {
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;

  constructor(db: SqlDatabase) {
    this.#statements = prepareAll(db, SQL);
  }

  /** Adds evaluations, and removes the oldest beyond the limit. */
  add(evaluations: readonly PendingEvaluation[]): void {
    const { add, trim } = this.#statements;
    if (evaluations.length === 0) return;
    for (const { traceHash, endedMs, json } of evaluations)
      add.run(traceHash, endedMs, sealJson(json, contextOf(traceHash, endedMs)));
    trim.run(MAX_EVALUATIONS);
  }
}

/** The numbers of a row: its text is read back only with the same. */
function contextOf(traceHash: unknown, endedMs: unknown): string {
  return `${String(traceHash)} ${String(endedMs)}`;
}

const isEvaluation = objectOf({
  span: objectOf({ trace_id: isText, name: isText }),
  context: objectOf({
    tenant: isText,
    service: isText,
    env: isText,
    version: orAbsent(isText),
    receivedAtMs: isNumber,
  }),
  labels: orAbsent(objectOf({ model: isText, agent: isText })),
});

/** The text of a row, parsed. Rows of version 2 have no checksum. @throws DamageError */
export function parseEvaluation({ trace_hash, ended_ms, json }: SqlRow): Omit<StoredEvaluation, "sequence"> {
  return parseSealed(String(json), contextOf(trace_hash, ended_ms), isEvaluation) as Omit<
    StoredEvaluation,
    "sequence"
  >;
}

/**
 * The next evaluations, oldest first; empty after the last one.
 *
 * @param onDamaged - called with the sequence of an evaluation that cannot be read. It is left out.
 */
export function readEvaluations(
  db: SqlDatabase,
  page: { readonly after: number; readonly limit: number },
  onDamaged: (sequence: number) => void,
): StoredEvaluation[] {
  const next = db.prepare(
    "SELECT seq, trace_hash, ended_ms, json FROM evaluation WHERE seq > ? ORDER BY seq LIMIT ?",
  );
  const found: StoredEvaluation[] = [];
  for (let { after } = page; found.length === 0;) {
    const rows = next.all(after, page.limit);
    if (rows.length === 0) return [];
    for (const row of rows) {
      after = Number(row["seq"]);
      const kept = soundEvaluation(row);
      if (kept === undefined) onDamaged(after);
      else found.push({ sequence: after, span: kept.span, context: kept.context, labels: kept.labels });
    }
  }
  return found;
}

function soundEvaluation(row: SqlRow): Omit<StoredEvaluation, "sequence"> | undefined {
  try {
    return parseEvaluation(row);
  } catch (error) {
    if (error instanceof DamageError) return undefined;
    throw error;
  }
}
