import { LRUCache } from "lru-cache";
import type { TraceKey } from "../../../interfaces.js";
import { appendAll } from "../../../runtime/append-all.js";
import type { Clock } from "../../../runtime/clock.js";
import { createConcurrencyLimit, type ConcurrencyLimit } from "../../../runtime/concurrency-limit.js";
import { runInSlices } from "../../../runtime/steps.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import { JsonTextSearch } from "../../memory/search/json-text-search.js";
import { SpanText } from "../../memory/search/span-text.js";
import { SignatureQuery } from "../records/chunk-signature.js";
import type { BatchRecord } from "../records/batch-record.js";
import type { Span } from "@obspan/sdk/wire";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";
import type { ChunkReader, ReadChunk } from "./chunk-reader.js";
import type { ChunkWriter } from "./chunk-writer.js";
import type { SqlCondition } from "./query-sql.js";
import type { SpanPlace, TracePlaces } from "./span-places.js";
import { prepareAll, type TraceTables } from "./trace-tables.js";

/** Texts whose results are cached. */
const CACHED_TEXTS = 16;
/** Matching spans cached over all texts, about 100 bytes each. A text with more is searched again each time. */
const MAX_CACHED_MATCHES = 200_000;
/** A larger record has one span, or few large ones. */
const SMALL_RECORD_BYTES = 96 * 1024;
/** Traces whose places are remembered during a search: those of a few chunks, whose spans alternate. */
const REMEMBERED_TRACES = 1000;
/** Chunks whose signatures are read at once. */
const CHUNKS_PER_READ = 64;

const SQL = {
  chunks:
    "SELECT c.id AS id, c.last_seq AS last_seq, s.bits AS bits FROM chunk c LEFT JOIN chunk_signature s USING (id) " +
    "WHERE c.id < ? AND c.data IS NOT NULL ORDER BY c.id DESC LIMIT ?",
} as const;

/** A span with the text. */
interface Match extends SpanPlace {
  /** The sequence of its trace. */
  readonly sequence: number;
}

/** The matches in a closed chunk. */
interface SearchedChunk {
  /** The newest trace that it can have. */
  readonly lastSequence: number;
  readonly matches: readonly Match[];
}

/** What is known of a text: the matches in all closed chunks from `from` to `to`, which never change. */
interface SearchedText {
  readonly text: SpanText;
  readonly json: JsonTextSearch;
  readonly signature: SignatureQuery;
  /** The chunks with matches, newest first. */
  chunks: SearchedChunk[];
  from: number;
  to: number;
  /** Searches of one text share what they find, so that they run one after the other. */
  readonly inTurn: ConcurrencyLimit;
}

/** Options of {@link TextQueries}. */
export interface TextQueriesOptions {
  readonly db: SqlDatabase;
  readonly tables: TraceTables;
  readonly writer: ChunkWriter;
  readonly reader: ChunkReader;
  readonly clock: Pick<Clock, "monotonic">;
  /** The chunks that a rebuild has not indexed yet; undefined without one. */
  readonly unindexed: () => { readonly after: number; readonly upTo: number } | undefined;
}

/**
 * Finds traces by a text in their spans. Reads the chunks from the newest on, and only those whose signature may have the text.
 * Everything that was appended must be flushed.
 */
export class TextQueries {
  readonly #options: TextQueriesOptions;
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  readonly #searched = new LRUCache<string, SearchedText>({ max: CACHED_TEXTS });

  constructor(options: TextQueriesOptions) {
    this.#options = options;
    this.#statements = prepareAll(options.db, SQL);
  }

  /** The condition that a trace has the text. */
  async condition(q: string, signal: AbortSignal): Promise<SqlCondition> {
    const found = new Set<number>();
    await this.#search(q, signal, (sequence) => void found.add(sequence));
    return { sql: "t.seq IN (SELECT value FROM json_each(?))", parameters: [JSON.stringify([...found])] };
  }

  /** The newest traces that have the text and meet the condition. */
  async newest(q: string, condition: SqlCondition, count: number, signal: AbortSignal): Promise<number[]> {
    const matches = this.#options.db.prepare(`SELECT 1 FROM trace t WHERE ${condition.sql} AND t.seq = ?`);
    const found = new Set<number>();
    let countedFrom = Number.POSITIVE_INFINITY;
    let surelyFound = 0;
    await this.#search(
      q,
      signal,
      (sequence) => {
        if (!found.has(sequence) && matches.get(...condition.parameters, sequence) !== undefined) {
          found.add(sequence);
          if (sequence > countedFrom) surelyFound++;
        }
      },
      (newestBehind) => {
        // Older chunks have no newer trace: what was found of these is complete.
        if (newestBehind < countedFrom) {
          countedFrom = newestBehind;
          surelyFound = 0;
          for (const sequence of found) if (sequence > newestBehind) surelyFound++;
        }
        return surelyFound < count;
      },
    );
    return [...found].sort((a, b) => b - a).slice(0, count);
  }

  /**
   * Visits the traces with the text, some several times, from the newest chunk on.
   *
   * @param shouldContinue - called after each chunk with the newest trace that an older chunk can have. Returns false to stop.
   */
  async #search(
    q: string,
    signal: AbortSignal,
    visit: (sequence: number) => void,
    shouldContinue: (newestBehind: number) => boolean = () => true,
  ): Promise<void> {
    const searched = this.#searchedText(q);
    await searched.inTurn(async () => {
      await this.#searchText(searched, signal, visit, shouldContinue);
      this.#trim(q, searched);
    }, signal);
  }

  async #searchText(
    searched: SearchedText,
    signal: AbortSignal,
    visit: (sequence: number) => void,
    shouldContinue: (newestBehind: number) => boolean,
  ): Promise<void> {
    const timeSlice = new TimeSlice(this.#options.clock, signal);
    const live = new LivePlaces(this.#options.tables);
    const visitLive = (match: Match): void => {
      if (live.has(match)) visit(match.sequence);
    };
    const { writer, reader } = this.#options;

    const open = reader.read(writer.openId);
    if (open !== undefined && open.records.length > 0)
      for (const match of await this.#matchesIn(writer.openId, open, searched, live, timeSlice))
        visitLive(match);

    // Chunks that are newer than all that were searched, then the cached ones, then older ones.
    const search = (below: number, above: number) =>
      this.#searchChunks(searched, { below, above }, live, timeSlice, visitLive, shouldContinue);
    const known = searched.chunks;
    const newer = await search(writer.openId, searched.to);
    if (newer.newest > 0) {
      if (newer.isComplete) {
        searched.chunks = [...newer.chunks, ...known];
        searched.to = Math.max(searched.to, newer.newest);
        if (searched.from > searched.to) searched.from = newer.oldest;
      } else {
        // There is a gap: the older results are dropped.
        searched.chunks = newer.chunks;
        searched.to = newer.newest;
        searched.from = newer.oldest;
      }
    }
    if (!newer.isComplete) return;
    for (const { lastSequence, matches } of known) {
      if (!shouldContinue(lastSequence)) return;
      for (const match of matches) visitLive(match);
      if (timeSlice.isOver()) await timeSlice.next();
    }
    const older = await search(searched.from, 0);
    appendAll(searched.chunks, older.chunks);
    if (older.oldest > 0) searched.from = older.oldest;
  }

  /** Searches the closed chunks between two ids, both excluded, newest first. */
  async #searchChunks(
    searched: SearchedText,
    { below, above }: { readonly below: number; readonly above: number },
    live: LivePlaces,
    timeSlice: TimeSlice,
    visit: (match: Match) => void,
    shouldContinue: (newestBehind: number) => boolean,
  ) {
    const chunks: SearchedChunk[] = [];
    let newest = 0;
    let oldest = 0;
    for (let at = below; ;) {
      const rows = this.#statements.chunks.all(at, CHUNKS_PER_READ);
      for (const row of rows) {
        const id = Number(row["id"]);
        const unindexed = this.#options.unindexed();
        if (unindexed !== undefined && id > unindexed.after && id <= unindexed.upTo) {
          at = id;
          continue;
        }
        const lastSequence = Number(row["last_seq"]);
        if (id <= above) return { chunks, newest, oldest, isComplete: true };
        if (!shouldContinue(lastSequence)) return { chunks, newest, oldest, isComplete: false };
        const bits = row["bits"];
        if (searched.signature.mayContain(bits instanceof Uint8Array ? bits : null)) {
          const chunk = this.#options.reader.read(id);
          const matches =
            chunk === undefined ? [] : await this.#matchesIn(id, chunk, searched, live, timeSlice);
          if (matches.length > 0) chunks.push({ lastSequence, matches });
          for (const match of matches) visit(match);
        }
        if (newest === 0) newest = id;
        oldest = id;
        at = id;
        if (timeSlice.isOver()) await timeSlice.next();
      }
      if (rows.length < CHUNKS_PER_READ) return { chunks, newest, oldest, isComplete: true };
    }
  }

  /** The spans of a chunk with the text, of traces that are in the file. */
  async #matchesIn(
    id: number,
    chunk: ReadChunk,
    { text, json }: SearchedText,
    live: LivePlaces,
    timeSlice: TimeSlice,
  ): Promise<Match[]> {
    const matches: Match[] = [];
    if (!(await mayBeIn(json, chunk.raw, 0, chunk.raw.length, timeSlice))) return matches;
    for (const [at, record] of chunk.records.entries()) {
      if (!(await mayBeIn(json, chunk.raw, record.start, record.end, timeSlice))) continue;
      let last = { tenant: "", traceId: "", sequence: undefined as number | undefined };
      for (const [index, traceId] of await matchesInRecord(record, text, timeSlice)) {
        const { tenant } = record.contextOf(index);
        if (traceId !== last.traceId || tenant !== last.tenant)
          last = { tenant, traceId, sequence: live.find({ tenant, traceId }) };
        const { sequence } = last;
        if (sequence === undefined) continue;
        matches.push({ sequence, chunk: id, ordinal: chunk.firstOrdinalOf(at) + index });
      }
    }
    return matches;
  }

  #searchedText(q: string): SearchedText {
    const known = this.#searched.get(q);
    if (known !== undefined) return known;
    const isRebuilding = this.#options.unindexed() !== undefined;
    const text = new SpanText(q);
    const searched: SearchedText = {
      text,
      json: new JsonTextSearch(text.folded),
      signature: new SignatureQuery(text.folded),
      chunks: [],
      from: this.#options.writer.openId,
      to: 0,
      inTurn: createConcurrencyLimit(1),
    };
    // What a rebuild adds to a chunk that was searched would be missing.
    if (!isRebuilding) this.#searched.set(q, searched);
    return searched;
  }

  #trim(q: string, searched: SearchedText): void {
    if (matchesOf(searched) > MAX_CACHED_MATCHES) this.#searched.delete(q);
    let total = 0;
    for (const each of this.#searched.values()) total += matchesOf(each);
    while (total > MAX_CACHED_MATCHES) {
      const dropped = this.#searched.pop();
      total -= dropped === undefined ? total : matchesOf(dropped);
    }
  }
}

function matchesOf({ chunks }: SearchedText): number {
  return chunks.reduce((total, { matches }) => total + matches.length, 0);
}

/** The spans of a record with the text: their indexes and trace ids. */
async function matchesInRecord(
  record: BatchRecord,
  text: SpanText,
  timeSlice: TimeSlice,
): Promise<[index: number, traceId: string][]> {
  const found: [number, string][] = [];
  if (record.end - record.start > SMALL_RECORD_BYTES) {
    for (let index = 0; index < record.spanCount; index++) {
      const json = record.jsonOf(index);
      if (json === undefined) continue;
      const { bytes, start, end } = json;
      if (!(await runInSlices(text.matches(bytes, start, end), timeSlice))) continue;
      found.push([index, (JSON.parse(bytes.toString("utf8", start, end)) as Span).trace_id]);
    }
    return found;
  }
  for (const [index, span] of record.parse().entries())
    if (span !== null && text.isIn(span)) found.push([index, span.trace_id]);
  if (timeSlice.isOver()) await timeSlice.next();
  return found;
}

/** False if the text is surely not in the bytes. */
async function mayBeIn(
  json: JsonTextSearch,
  bytes: Buffer,
  start: number,
  end: number,
  timeSlice: TimeSlice,
): Promise<boolean> {
  for (let at = start; ;) {
    const next = json.passOver(bytes, at, end);
    if (next === undefined) return true;
    if (next === end) return false;
    at = next;
    if (timeSlice.isOver()) await timeSlice.next();
  }
}

/** Tells stored spans from those that were replaced or dropped. Remembers the places of the last traces. */
class LivePlaces {
  readonly #tables: TraceTables;
  readonly #places = new LRUCache<number, ReadonlySet<number>>({ max: REMEMBERED_TRACES });

  constructor(tables: TraceTables) {
    this.#tables = tables;
  }

  /** The sequence of a trace; undefined if the file does not have it. */
  find(key: TraceKey): number | undefined {
    const found = this.#tables.findPlaces(key);
    if (found === undefined) return undefined;
    this.#remember(found.sequence, found.places);
    return found.sequence;
  }

  has({ sequence, chunk, ordinal }: Match): boolean {
    const places = this.#places.get(sequence) ?? this.#remember(sequence, this.#tables.places(sequence));
    return places.has(numberOf({ chunk, ordinal }));
  }

  #remember(sequence: number, { spans, evaluations }: TracePlaces): ReadonlySet<number> {
    const places = new Set<number>();
    for (const place of spans) places.add(numberOf(place));
    for (const place of evaluations) places.add(numberOf(place));
    this.#places.set(sequence, places);
    return places;
  }
}

/** A place as one number: a chunk has fewer spans than 64 Ki. */
function numberOf({ chunk, ordinal }: SpanPlace): number {
  return chunk * 2 ** 16 + ordinal;
}
