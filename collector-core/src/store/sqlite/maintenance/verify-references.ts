import type { Steps } from "../../../runtime/steps.js";
import type { SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import { CHUNK_NUMBERS, hasSoundChunkNumbers } from "../engine/chunk-rows.js";
import { chunksOf, decodePlaces } from "../engine/span-places.js";
import { readMeta } from "../file/meta.js";
import { MAX_CHUNK_ID } from "../file/schema.js";
import type { TraceFile } from "../open-trace-file.js";
import { DamageError } from "../records/sealed.js";
import { readable } from "./verify-checksums.js";

type OnProblem = (problem: string) => void;

const ROWS_PER_STEP = 250;
/** Chunks whose traces are counted at once, in eight bytes each. Of a file with more, from 30 GiB on, traces are read again. */
const CHUNKS_PER_PASS = 2 ** 20;

const CHUNKS =
  `SELECT ${CHUNK_NUMBERS} FROM chunk WHERE id > ? AND id < ? AND data IS NOT NULL ` +
  `ORDER BY id LIMIT ${ROWS_PER_STEP}`;
const PLACES = `SELECT seq, spans FROM trace_detail WHERE seq > ? ORDER BY seq LIMIT ${ROWS_PER_STEP}`;

/**
 * Finds what is left of traces whose rows were deleted by hand: the row of another table, and chunks that count them. Traces may
 * arrive and go meanwhile.
 */
export function* verifyReferences(file: TraceFile, onProblem: OnProblem): Steps<void> {
  // Until the end of a rebuild, chunks do not count their traces.
  if (file.needsRebuild) return;
  yield* checkPairs(file, { table: "trace_detail", other: "trace" }, onProblem);
  yield* checkPairs(file, { table: "trace", other: "trace_detail" }, onProblem);
  yield* checkChunks(file, onProblem);
}

/** Finds the rows of a table for which the other table has none. */
function* checkPairs(
  { db }: TraceFile,
  { table, other }: { readonly table: string; readonly other: string },
  onProblem: OnProblem,
): Steps<void> {
  const next = db.prepare(
    `SELECT a.seq AS seq, b.seq AS other FROM ${table} a LEFT JOIN ${other} b USING (seq) ` +
      `WHERE a.seq > ? ORDER BY a.seq LIMIT ${ROWS_PER_STEP}`,
  );
  const alone: number[] = [];
  yield* eachRow(next, { id: "seq" }, (row) => {
    if (row["other"] === null) alone.push(Number(row["seq"]));
  });
  if (alone.length > 0) onProblem(`${table} ${alone[0]}${andOthers(alone)}: no row in ${other}.`);
}

/** Finds closed chunks that count more traces than have spans in them. */
function* checkChunks({ db }: TraceFile, onProblem: OnProblem): Steps<void> {
  const open = Math.min(Number(readMeta(db, "open_chunk") ?? 1), MAX_CHUNK_ID + 1);
  const first = db.prepare("SELECT min(id) AS id FROM chunk WHERE id >= ? AND id < ?");
  const firstFrom = (id: number): unknown => readable(() => first.all(id, open))[0]?.["id"];
  const chunks = db.prepare(CHUNKS);
  const places = db.prepare(PLACES);
  const miscounted: number[] = [];
  for (let next = firstFrom(1); typeof next === "number";) {
    const from = next;
    const to = Math.min(from + CHUNKS_PER_PASS, open);
    const range = { id: "id", after: from - 1, to };
    const counted = new Int32Array(to - from);
    yield* eachRow(chunks, range, (row) => {
      // Damaged numbers are another problem.
      if (hasSoundChunkNumbers(row)) counted[Number(row["id"]) - from] = Number(row["traces"]);
    });

    const missing = counted.slice();
    let unreadable = 0;
    yield* eachRow(places, { id: "seq" }, ({ spans }) => {
      const used = chunksIn(spans);
      if (used === undefined) unreadable++;
      for (const id of used ?? [])
        if (id >= from && id < to) missing[id - from] = (missing[id - from] ?? 0) - 1;
    });
    if (unreadable > 0) return;

    yield* eachRow(chunks, range, (row) => {
      const at = Number(row["id"]) - from;
      // A chunk whose count has changed has lost traces meanwhile.
      if ((missing[at] ?? 0) > 0 && row["traces"] === counted[at]) miscounted.push(at + from);
    });
    next = firstFrom(to);
  }
  if (miscounted.length > 0)
    onProblem(`chunk ${miscounted[0]}${andOthers(miscounted)}: traces without rows.`);
}

function andOthers({ length }: readonly number[]): string {
  return length === 1 ? "" : ` and ${length - 1} more`;
}

/** The chunks of a trace; undefined if its places are damaged. */
function chunksIn(spans: unknown): Set<number> | undefined {
  try {
    return chunksOf(decodePlaces(spans));
  } catch (error) {
    if (error instanceof DamageError) return undefined;
    throw error;
  }
}

/** Visits the rows after an id, some in each step. A page that cannot be read is found by the check of its table. */
function* eachRow(
  next: SqlStatement,
  {
    id,
    after = Number.MIN_SAFE_INTEGER,
    to,
  }: { readonly id: string; readonly after?: number; readonly to?: number },
  visit: (row: SqlRow) => void,
): Steps<void> {
  for (let last: unknown = after; typeof last === "number";) {
    const parameters = to === undefined ? [last] : [last, to];
    const rows = readable(() => next.all(...parameters));
    for (const row of rows) visit(row);
    last = rows.at(-1)?.[id];
    yield;
  }
}
