import type { SqlDatabase, SqlValue } from "../driver/sqlite-driver.js";
import { emptyDerivedTables } from "./empty-derived-tables.js";
import { readMeta, writeMeta, type MetaKey } from "./meta.js";
import { MAX_CHUNK_ID, TABLES } from "./schema.js";
import { inTransaction } from "./transaction.js";

/** Ids and sequences beyond it are not of a collector. It leaves as many again for new ones. Hashes of keys reach it. */
const MAX_ID = 2 ** 52;
/** The end of the year 9999. */
const LATEST_MS = 253_402_300_799_999;
const TIMES = ["clock_ms", "wall_ms", "created_ms"] as const satisfies readonly MetaKey[];
/** The counters of a file without rows. */
const FIRST = { last_seq: 0, open_chunk: 1 } as const;
/** Their row ids mean nothing. */
const WITHOUT_IDS: ReadonlySet<string> = new Set(["meta", "view"]);

/**
 * Repairs the numbers that new rows continue from: the row ids of every table and the numbers of `meta`. With a greatest possible
 * id, no further row can be added, and every query fails that meets it. Somebody else may have written the file, and the numbers of
 * `meta` have no checksum.
 *
 * @returns what was repaired, as the end of a sentence.
 */
export function repairNumbers(db: SqlDatabase, nowMs: number): string[] {
  const broken = Object.entries(TABLES).filter(
    ([name, { isWithoutRowid }]) => isWithoutRowid !== true && !hasUsableIds(db, name),
  );
  const problems: string[] = [];
  const repair = (problem: string | undefined, change: () => void): void => {
    if (problem !== undefined) problems.push(problem);
    inTransaction(db, change);
  };
  for (const [name, { isDerived }] of broken)
    if (isDerived !== true)
      repair(`rows of ${name} with unusable ids were removed`, () => {
        db.prepare(`DELETE FROM ${name} WHERE rowid < 1 OR rowid > ?`).run(maxIdOf(name));
      });
  if (broken.some(([, { isDerived }]) => isDerived))
    repair("an index had unusable ids and is built again", () => {
      emptyDerivedTables(db);
      writeMeta(db, "last_seq", 0);
    });
  repairCounters(db, repair);
  for (const key of TIMES) {
    const value = readMeta(db, key);
    if (value === undefined || isUpTo(value, LATEST_MS)) continue;
    repair(`${key} was not a time`, () => writeMeta(db, key, nowMs));
  }
  return problems;
}

/** The counters that new rows continue from must be beyond the rows that there are. */
function repairCounters(
  db: SqlDatabase,
  repair: (problem: string | undefined, change: () => void) => void,
): void {
  const sequence = idIn(db, "SELECT max(seq) AS id FROM trace");
  repairCounter("last_seq", sequence, MAX_ID);

  const newest = db.prepare("SELECT id, data IS NULL AS is_open FROM chunk ORDER BY id DESC LIMIT 1").get();
  const firstFree = newest === undefined ? 1 : Number(newest["id"]) + (newest["is_open"] === 1 ? 0 : 1);
  repairCounter("open_chunk", firstFree, MAX_CHUNK_ID);

  const evaluation = idIn(db, "SELECT max(seq) AS id FROM evaluation");
  const counter = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'evaluation'").get()?.["seq"];
  if (counter !== undefined && !isIntegerUpTo(counter, MAX_ID))
    repair("the counter of evaluations was unusable", () => {
      db.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'evaluation'").run(evaluation);
    });

  function repairCounter(key: "last_seq" | "open_chunk", least: number, most: number): void {
    const value = readMeta(db, key);
    const known = value ?? FIRST[key];
    if (isIntegerUpTo(known, most) && known >= least) return;
    // A file without the key is only incomplete.
    const problem = value === undefined ? undefined : `${key} did not fit the rows`;
    repair(problem, () => writeMeta(db, key, least));
  }
}

/** True if the row ids of a table are those of a collector. Reads the first and the last one. */
function hasUsableIds(db: SqlDatabase, name: string): boolean {
  if (WITHOUT_IDS.has(name)) return true;
  const { first = null, last = null } =
    db
      .prepare(`SELECT (SELECT min(rowid) FROM ${name}) AS first, (SELECT max(rowid) FROM ${name}) AS last`)
      .get() ?? {};
  return (first === null || Number(first) >= 1) && (last === null || Number(last) <= maxIdOf(name));
}

function maxIdOf(table: string): number {
  return table === "chunk" || table === "chunk_signature" ? MAX_CHUNK_ID : MAX_ID;
}

function idIn(db: SqlDatabase, sql: string): number {
  return Number(db.prepare(sql).get()?.["id"] ?? 0);
}

function isUpTo(value: SqlValue, max: number): value is number {
  return typeof value === "number" && value >= 0 && value <= max;
}

function isIntegerUpTo(value: SqlValue, max: number): value is number {
  return isUpTo(value, max) && Number.isSafeInteger(value);
}
