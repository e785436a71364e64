import type { TraceSummary } from "../../../api-schema/trace.js";
import { hashNumber, SeededHash } from "../../../hashing/seeded-hash.js";
import type { SessionKey, TraceKey } from "../../../interfaces.js";
import type { TurnPosition } from "../../sessions/session-position.js";
import { decodeSummary, encodeAbandoned, encodeSummary, isSummary } from "../../traces/summary-fields.js";
import type { TraceFacts } from "../../traces/trace-facts.js";
import { traceKeyText } from "../../../span/trace-key-text.js";
import { checksumOfNumbers, DamageError, parseSealed, sealJson } from "../records/sealed.js";
import { decodePlaces, newestChunkIn, NO_PLACES, type TracePlaces } from "./span-places.js";
import { checksumAfter, hasSoundNumbers, NUMBER_COLUMNS } from "./trace-numbers.js";
import { decodeState, type DecodedState } from "./trace-state.js";
import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from "../driver/sqlite-driver.js";

/** A trace as the file has it. */
export interface TraceRow {
  readonly sequence: number;
  readonly key: TraceKey;
  readonly valueSet: number;
  readonly facts: TraceFacts;
  readonly summary: TraceSummary;
  /** Store time of its last span. */
  readonly lastMs: number;
  /** See `trace-state.ts`. */
  readonly state: string;
  /** See `span-places.ts`. */
  readonly places: Uint8Array;
}

/** By whom a trace is filtered; "" without one. */
export interface TraceOwner {
  readonly sessionId: string;
  readonly userId: string;
}

/** The part of a stored trace that its spans are loaded with. */
export interface StoredTraceRow {
  readonly sequence: number;
  readonly key: TraceKey;
  readonly valueSet: number;
  readonly lastMs: number;
  readonly state: DecodedState;
  readonly places: TracePlaces;
}

/** A part of a row whose bytes are damaged. */
export type DamagedPart = "state" | "places" | "numbers";

/** What is needed to write that a running trace is abandoned. */
export interface RunningTraceRow {
  readonly sequence: number;
  readonly key: TraceKey;
  readonly valueSet: number;
  /** What `encodeSummary` wrote, parsed; undefined if it is damaged. */
  readonly summary: readonly unknown[] | undefined;
  /** False if its numbers are damaged: it may not be abandoned. */
  readonly isSound: boolean;
  /** The checksum of its numbers when it is abandoned. */
  readonly checksumAfter: (valueSet: number) => SqlValue;
}

/** Salts, so that equal texts of different kinds have different hashes. */
const SALT = { traceId: 1, rootName: 2 } as const;

const NUMBERS = `${NUMBER_COLUMNS.join(", ")}, checksum`;

const SQL = {
  insertTrace:
    "INSERT INTO trace (seq, value_set, start_ms, start_ns, duration_ms, cost_usd, tokens_input, tokens_output, " +
    "ttft_ms, last_ms, root_hash, running_until_ms, session, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  updateTrace:
    "UPDATE trace SET value_set = ?2, start_ms = ?3, start_ns = ?4, duration_ms = ?5, cost_usd = ?6, tokens_input = ?7, " +
    "tokens_output = ?8, ttft_ms = ?9, last_ms = ?10, root_hash = ?11, running_until_ms = ?12, session = ?13, " +
    "checksum = ?14 WHERE seq = ?1",
  insertDetail:
    "INSERT INTO trace_detail (seq, session_id, user_id, summary, state, spans, key_hash, tenant, trace_id) " +
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  updateDetail: "UPDATE trace_detail SET summary = ?2, state = ?3, spans = ?4 WHERE seq = ?1",
  // Apart, because it writes two indexes even if the values are the same.
  setOwner: "UPDATE trace_detail SET session_id = ?2, user_id = ?3 WHERE seq = ?1",
  find: "SELECT seq, tenant, trace_id FROM trace_detail WHERE key_hash = ?",
  findPlaces: "SELECT seq, tenant, trace_id, spans FROM trace_detail WHERE key_hash = ?",
  places: "SELECT spans FROM trace_detail WHERE seq = ?",
  read: `SELECT ${NUMBERS}, tenant, trace_id, state, spans FROM trace_detail JOIN trace USING (seq) WHERE seq = ?`,
  summary: `SELECT ${NUMBERS}, tenant, trace_id, summary FROM trace_detail JOIN trace USING (seq) WHERE seq = ?`,
  chunkMs: "SELECT last_ms FROM chunk WHERE id = ? AND data IS NOT NULL",
  setKeyHash: "UPDATE trace_detail SET key_hash = ?2 WHERE seq = ?1 AND key_hash IS NOT ?2",
  removeTrace: "DELETE FROM trace WHERE seq = ?",
  removeDetail: "DELETE FROM trace_detail WHERE seq = ?",
  oldest: "SELECT seq FROM trace ORDER BY seq LIMIT ?",
  ofValueSet: "SELECT seq FROM trace WHERE value_set = ?",
  silent: "SELECT seq FROM trace WHERE last_ms <= ? ORDER BY last_ms LIMIT ?",
  abandoned:
    `SELECT ${NUMBERS}, tenant, trace_id, summary FROM trace JOIN trace_detail USING (seq) ` +
    "WHERE running_until_ms <= ? ORDER BY running_until_ms LIMIT ?",
  isAbandoned: "SELECT 1 FROM trace WHERE seq = ? AND running_until_ms <= ?",
  lastMs: "SELECT last_ms FROM trace WHERE seq = ?",
  abandon: "UPDATE trace SET value_set = ?2, running_until_ms = NULL, checksum = ?3 WHERE seq = ?1",
  setSummary: "UPDATE trace_detail SET summary = ?2 WHERE seq = ?1",
  firstAbandoned: "SELECT min(running_until_ms) AS at FROM trace WHERE running_until_ms IS NOT NULL",
} as const;

/** Options of {@link TraceTables}. */
export interface TraceTablesOptions {
  readonly hashSeed: Int32Array;
  /** Store time. */
  readonly nowMs: () => number;
  /** Called when a part of a trace cannot be read. It is read as if it were empty. */
  readonly onDamage: (sequence: number, part: DamagedPart) => void;
  /** Called when a trace is written. */
  readonly onWritten?: (sequence: number, startMs: number) => void;
  /** Called when a trace of a session is written. */
  readonly onSessionWritten?: (session: number, turn: TurnPosition) => void;
}

/** The tables `trace` and `trace_detail`. */
export class TraceTables {
  readonly #hash: SeededHash;
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  readonly #onDamage: TraceTablesOptions["onDamage"];
  readonly #onWritten: (sequence: number, startMs: number) => void;
  readonly #onSessionWritten: (session: number, turn: TurnPosition) => void;
  readonly #nowMs: () => number;

  constructor(db: SqlDatabase, options: TraceTablesOptions) {
    const { hashSeed, nowMs, onDamage } = options;
    const { onWritten = () => undefined, onSessionWritten = () => undefined } = options;
    this.#onWritten = onWritten;
    this.#onDamage = onDamage;
    this.#onSessionWritten = onSessionWritten;
    this.#nowMs = nowMs;
    this.#hash = new SeededHash(hashSeed);
    this.#statements = prepareAll(db, SQL);
  }

  /** Writes a trace. @param stored - the owner in its row; undefined if the file has no row of it. */
  write(
    { sequence, key, valueSet, facts, summary, lastMs, state, places }: TraceRow,
    stored: TraceOwner | undefined,
  ): void {
    const { start, durationMs, costUsd, tokensInput, tokensOutput, ttftMs, holdsUntilMs } = facts;
    const runningUntilMs = Number.isFinite(holdsUntilMs) ? holdsUntilMs : null;
    const { insertTrace, updateTrace, insertDetail, updateDetail, setOwner } = this.#statements;
    const isStored = stored !== undefined;
    this.#onWritten(sequence, start.epochMs);
    const keyHash = this.#keyHash(key.traceId);
    const { session_id: sessionId, user_id: userId } = summary;
    const session = sessionId === null ? null : this.sessionNumber({ tenant: key.tenant, sessionId });
    if (session !== null)
      this.#onSessionWritten(session, { startMs: start.epochMs, startNanos: start.nanos, sequence });
    const numbers = [
      sequence,
      valueSet,
      start.epochMs,
      start.nanos,
      durationMs,
      costUsd,
      tokensInput,
      tokensOutput,
      Number.isNaN(ttftMs) ? null : ttftMs,
      lastMs,
      this.rootHash(summary.root_name),
      runningUntilMs,
      session,
    ];
    (isStored ? updateTrace : insertTrace).run(...numbers, checksumOfNumbers([...numbers, keyHash]));
    const listed = sealJson(encodeSummary(summary), traceKeyText(key));
    if (!isStored) {
      const { tenant, traceId } = key;
      insertDetail.run(sequence, sessionId, userId, listed, state, places, keyHash, tenant, traceId);
      return;
    }
    updateDetail.run(sequence, listed, state, places);
    if ((sessionId ?? "") !== stored.sessionId || (userId ?? "") !== stored.userId)
      setOwner.run(sequence, sessionId, userId);
  }

  /** The sequence of a trace; undefined if the file does not have it. */
  find({ tenant, traceId }: TraceKey): number | undefined {
    const row = this.#find(traceId).find((each) => each["tenant"] === tenant);
    return row === undefined ? undefined : Number(row["seq"]);
  }

  /** The sequence of a trace and its places, see `span-places.ts`. */
  findPlaces({ tenant, traceId }: TraceKey): { sequence: number; places: TracePlaces } | undefined {
    const row = this.#statements.findPlaces
      .all(this.#keyHash(traceId))
      .find((each) => each["trace_id"] === traceId && each["tenant"] === tenant);
    if (row === undefined) return undefined;
    const sequence = Number(row["seq"]);
    return { sequence, places: this.#placesIn(sequence, row) };
  }

  /** The places of a trace; none if the file does not have it. */
  places(sequence: number): TracePlaces {
    const row = this.#statements.places.get(sequence);
    return row === undefined ? NO_PLACES : this.#placesIn(sequence, row);
  }

  /** The traces with that id, at most one per tenant, newest first. */
  ofEveryTenant(traceId: string): { readonly tenant: string; readonly sequence: number }[] {
    return this.#find(traceId)
      .map((row) => ({ tenant: String(row["tenant"]), sequence: Number(row["seq"]) }))
      .toSorted((a, b) => b.sequence - a.sequence);
  }

  #find(traceId: string): SqlRow[] {
    return this.#statements.find.all(this.#keyHash(traceId)).filter((row) => row["trace_id"] === traceId);
  }

  read(sequence: number): StoredTraceRow | undefined {
    const row = this.#statements.read.get(sequence);
    if (row === undefined) return undefined;
    const places = this.#placesIn(sequence, row);
    return {
      sequence,
      key: keyOf(row),
      valueSet: Number(row["value_set"]),
      lastMs: this.#hasSoundNumbers(sequence, row) ? Number(row["last_ms"]) : this.#lastMsOf(places),
      state: this.#stateIn(sequence, row),
      places,
    };
  }

  #hasSoundNumbers(sequence: number, row: SqlRow): boolean {
    const isSound = hasSoundNumbers(row);
    if (!isSound) this.#onDamage(sequence, "numbers");
    return isSound;
  }

  /** When the last span of a trace arrived at the latest, as its chunks tell it. */
  #lastMsOf(places: TracePlaces): number {
    const closedMs = this.#statements.chunkMs.get(newestChunkIn(places))?.["last_ms"];
    return typeof closedMs === "number" ? closedMs : this.#nowMs();
  }

  #placesIn(sequence: number, row: SqlRow): TracePlaces {
    const places = unlessDamaged(() => decodePlaces(row["spans"]));
    if (places === undefined) this.#onDamage(sequence, "places");
    return places ?? NO_PLACES;
  }

  #stateIn(sequence: number, row: SqlRow): DecodedState {
    const state = unlessDamaged(() => decodeState(String(row["state"])));
    if (state !== undefined) return state;
    this.#onDamage(sequence, "state");
    const summary = this.summary(sequence);
    return {
      isPartial: summary?.partial ?? false,
      sessionId: summary?.session_id ?? "",
      userId: summary?.user_id ?? "",
      dropped: undefined,
    };
  }

  /** The summary of a trace; undefined if the file does not have it, or if it is damaged. */
  summary(sequence: number): TraceSummary | undefined {
    const row = this.#statements.summary.get(sequence);
    if (row !== undefined) this.#hasSoundNumbers(sequence, row);
    const listed = row && listedIn(row);
    if (row === undefined || listed === undefined) return undefined;
    const { tenant, traceId } = keyOf(row);
    return decodeSummary({ trace_id: traceId, tenant }, listed);
  }

  remove(sequence: number): void {
    this.#statements.removeTrace.run(sequence);
    this.#statements.removeDetail.run(sequence);
  }

  /** The traces whose first span arrived first. */
  oldest(limit: number): number[] {
    return sequences(this.#statements.oldest.all(limit));
  }

  /** The traces with a value set. */
  ofValueSet(id: number): number[] {
    return sequences(this.#statements.ofValueSet.all(id));
  }

  /** Traces without a span since that time. */
  silentSince(lastMs: number, limit: number): number[] {
    return sequences(this.#statements.silent.all(lastMs, limit));
  }

  /** Traces that the file has as running, and that are abandoned at that time. */
  abandonedAt(nowMs: number, limit: number): RunningTraceRow[] {
    return this.#statements.abandoned.all(nowMs, limit).map((row) => ({
      sequence: Number(row["seq"]),
      isSound: this.#hasSoundNumbers(Number(row["seq"]), row),
      key: keyOf(row),
      valueSet: Number(row["value_set"]),
      summary: listedIn(row),
      checksumAfter: (valueSet) => checksumAfter(row, { value_set: valueSet, running_until_ms: null }),
    }));
  }

  /** True for a trace that the file has as running, and that is abandoned at that time. */
  isAbandonedAt(sequence: number, nowMs: number): boolean {
    return this.#statements.isAbandoned.get(sequence, nowMs) !== undefined;
  }

  /** Writes that a running trace is abandoned. */
  abandon(
    { sequence, key, checksumAfter: checksum }: RunningTraceRow,
    summary: NonNullable<RunningTraceRow["summary"]>,
    valueSet: number,
  ): void {
    this.#statements.abandon.run(sequence, valueSet, checksum(valueSet));
    this.#statements.setSummary.run(sequence, sealJson(encodeAbandoned(summary), traceKeyText(key)));
  }

  /** Writes again by what a trace is found. */
  restoreKeyHash(sequence: number, { traceId }: TraceKey): void {
    this.#statements.setKeyHash.run(sequence, this.#keyHash(traceId));
  }

  /** Store time of the last span of a trace; undefined if the file does not have it. */
  lastMs(sequence: number): number | undefined {
    const row = this.#statements.lastMs.get(sequence);
    return row && Number(row["last_ms"]);
  }

  /** When the next running trace is abandoned. */
  nextAbandonedMs(): number {
    const at = this.#statements.firstAbandoned.get()?.["at"];
    return typeof at === "number" ? at : Number.POSITIVE_INFINITY;
  }

  /** The hash by which traces are filtered by root name. */
  rootHash(name: string): number {
    return this.#hash.of(SALT.rootName, name).number;
  }

  /** What the rows of a session have in common. In a file of 100,000 sessions, two have the same number once in a million files. */
  sessionNumber({ tenant, sessionId }: SessionKey): number {
    return hashNumber(this.#hash.ofPair(tenant, sessionId));
  }

  #keyHash(traceId: string): number {
    return this.#hash.of(SALT.traceId, traceId).number;
  }
}

/** Prepares the statements of a table. */
export function prepareAll<Name extends string>(
  db: SqlDatabase,
  sql: Readonly<Record<Name, string>>,
): Record<Name, SqlStatement> {
  const names = Object.keys(sql) as Name[];
  return Object.fromEntries(names.map((name) => [name, db.prepare(sql[name])])) as Record<Name, SqlStatement>;
}

/** The fields of the summary in a row; undefined if they are damaged. */
function listedIn(row: SqlRow): readonly unknown[] | undefined {
  return unlessDamaged(() => parseSummary(row));
}

/** The fields of the summary in a row. @throws DamageError */
export function parseSummary(row: SqlRow): readonly unknown[] {
  return parseSealed(String(row["summary"]), traceKeyText(keyOf(row)), isSummary) as unknown[];
}

function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamageError) return undefined;
    throw error;
  }
}

function keyOf(row: SqlRow): TraceKey {
  return { tenant: String(row["tenant"]), traceId: String(row["trace_id"]) };
}

function sequences(rows: readonly SqlRow[]): number[] {
  return rows.map((row) => Number(row["seq"]));
}
