import { LRUCache } from "lru-cache";
import { appendAll } from "../../../runtime/append-all.js";
import type { Clock } from "../../../runtime/clock.js";
import { createConcurrencyLimit, type ConcurrencyLimit } from "../../../runtime/concurrency-limit.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import { JsonTextSearch, PIECE_BYTES } from "../../memory/search/json-text-search.js";
import type { SpanPredicate } from "../../memory/search/span-predicate.js";
import { SignatureQuery, SOUND_BITS } from "../records/chunk-signature.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import type { ChunkReader, ReadChunk } from "./chunk-reader.js";
import { CHUNK_NUMBERS, hasSoundChunkNumbers } from "./chunk-rows.js";
import type { ChunkWriter } from "./chunk-writer.js";
import { LivePlaces, type PlaceInTrace } from "./live-places.js";
import { matchesInRecord, mayBeIn } from "./record-search.js";
import type { TraceTables } from "./trace-tables.js";

/** Predicates whose results are cached: those of a query, and some. */
const CACHED_TEXTS = 32;
/** Matching spans cached over all predicates, about 100 bytes each. One with more is searched for again each time. */
const MAX_CACHED_MATCHES = 200_000;
/** Chunks whose signatures are read at once. */
const CHUNKS_PER_READ = 64;

const CHUNKS =
  `SELECT ${CHUNK_NUMBERS}, ${SOUND_BITS} FROM chunk LEFT JOIN chunk_signature USING (id) ` +
  "WHERE id < ? AND data IS NOT NULL ORDER BY id DESC LIMIT ?";

/** The matches in a closed chunk. */
interface SearchedChunk {
  /** The newest trace that it can have. */
  readonly lastSequence: number;
  readonly matches: readonly PlaceInTrace[];
}

/** What is known of a predicate: the matches in all closed chunks from `from` to `to`, which never change. */
interface SearchedText {
  readonly predicate: SpanPredicate;
  readonly json: readonly JsonTextSearch[];
  readonly signatures: readonly SignatureQuery[];
  /** The chunks with matches, newest first. */
  chunks: SearchedChunk[];
  from: number;
  to: number;
  /** Searches for one predicate share what they find, so that they run one after the other. */
  readonly inTurn: ConcurrencyLimit;
}

/** Options of {@link TextSearch}. */
export interface TextSearchOptions {
  readonly db: SqlDatabase;
  readonly tables: TraceTables;
  readonly writer: ChunkWriter;
  readonly reader: ChunkReader;
  readonly clock: Pick<Clock, "monotonic">;
  /** The chunks that a rebuild has not indexed yet; undefined without one. */
  readonly unindexed: () => { readonly after: number; readonly upTo: number } | undefined;
}

/**
 * Finds spans that meet predicates on their JSON. Reads the chunks from the newest on, and only those whose signature may have
 * the texts of the predicate. Everything that was appended must be flushed.
 */
export class TextSearch {
  readonly #options: TextSearchOptions;
  readonly #chunks: SqlStatement;
  readonly #searched = new LRUCache<string, SearchedText>({ max: CACHED_TEXTS });

  constructor(options: TextSearchOptions) {
    this.#options = options;
    this.#chunks = options.db.prepare(CHUNKS);
  }

  /**
   * Visits the traces of which a span meets the predicate, some several times, from the newest chunk on.
   *
   * @param shouldContinue - called after each chunk with the newest trace that an older chunk can have. Returns false to stop.
   */
  async visit(
    predicate: SpanPredicate,
    signal: AbortSignal,
    visit: (sequence: number) => void,
    shouldContinue: (newestBehind: number) => boolean = () => true,
  ): Promise<void> {
    const searched = this.#searchedText(predicate);
    await searched.inTurn(async () => {
      await this.#searchText(searched, signal, visit, shouldContinue);
      this.#trim(predicate.id, searched);
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
    const visitLive = (match: PlaceInTrace): void => {
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
    visit: (match: PlaceInTrace) => void,
    shouldContinue: (newestBehind: number) => boolean,
  ) {
    const chunks: SearchedChunk[] = [];
    let newest = 0;
    let oldest = 0;
    for (let at = below; ;) {
      const rows = this.#chunks.all(at, CHUNKS_PER_READ);
      for (const row of rows) {
        const id = Number(row["id"]);
        const unindexed = this.#options.unindexed();
        if (unindexed !== undefined && id > unindexed.after && id <= unindexed.upTo) {
          at = id;
          continue;
        }
        const lastSequence = lastSequenceIn(row);
        if (id <= above) return { chunks, newest, oldest, isComplete: true };
        if (!shouldContinue(lastSequence)) return { chunks, newest, oldest, isComplete: false };
        const bits = row["bits"];
        const signature = bits instanceof Uint8Array ? bits : null;
        if (searched.signatures.every((each) => each.mayContain(signature))) {
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

  /** The spans of a chunk that meet the predicate, of traces that are in the file. */
  async #matchesIn(
    id: number,
    chunk: ReadChunk,
    { predicate, json }: SearchedText,
    live: LivePlaces,
    timeSlice: TimeSlice,
  ): Promise<PlaceInTrace[]> {
    const matches: PlaceInTrace[] = [];
    if (!(await mayBeIn(json, chunk.raw, 0, chunk.raw.length, timeSlice))) return matches;
    for (const [at, record] of chunk.records.entries()) {
      if (!(await mayBeIn(json, chunk.raw, record.start, record.end, timeSlice))) continue;
      if (chunk.soundRecord(at) === undefined) continue;
      let last = { tenant: "", traceId: "", sequence: undefined as number | undefined };
      for (const [index, traceId] of await matchesInRecord(record, predicate, timeSlice)) {
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

  #searchedText(predicate: SpanPredicate): SearchedText {
    const known = this.#searched.get(predicate.id);
    if (known !== undefined) return known;
    const isRebuilding = this.#options.unindexed() !== undefined;
    const searched: SearchedText = {
      predicate,
      json: predicate.searched.map(
        ({ folded, isInKeys }) => new JsonTextSearch(folded, PIECE_BYTES, isInKeys),
      ),
      signatures: predicate.signed.map(({ folded, isNumber }) => new SignatureQuery(folded, isNumber)),
      chunks: [],
      from: this.#options.writer.openId,
      to: 0,
      inTurn: createConcurrencyLimit(1),
    };
    // What a rebuild adds to a chunk that was searched would be missing.
    if (!isRebuilding) this.#searched.set(predicate.id, searched);
    return searched;
  }

  #trim(id: string, searched: SearchedText): void {
    if (matchesOf(searched) > MAX_CACHED_MATCHES) this.#searched.delete(id);
    let total = 0;
    for (const each of this.#searched.values()) total += matchesOf(each);
    while (total > MAX_CACHED_MATCHES) {
      const dropped = this.#searched.pop();
      total -= dropped === undefined ? total : matchesOf(dropped);
    }
  }
}

/** The newest trace that a chunk or an older one can have. A damaged number tells nothing. */
function lastSequenceIn(row: SqlRow): number {
  return hasSoundChunkNumbers(row) ? Number(row["last_seq"]) : Number.POSITIVE_INFINITY;
}

function matchesOf({ chunks }: SearchedText): number {
  return chunks.reduce((total, { matches }) => total + matches.length, 0);
}
