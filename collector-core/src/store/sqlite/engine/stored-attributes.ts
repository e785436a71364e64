import { runInSlices } from "../../../runtime/steps.js";
import type { TimeSlice } from "../../../runtime/time-slice.js";
import { AttributeCache } from "../../traces/attribute-cache.js";
import { MAX_READ_BYTES } from "../../memory/search/attribute-reader.js";
import { AttributeValues } from "../../memory/search/attribute-values.js";
import { JsonTextSearch, PIECE_BYTES } from "../../memory/search/json-text-search.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";
import { SignatureQuery, SOUND_BITS } from "../records/chunk-signature.js";
import type { ChunkReader } from "./chunk-reader.js";
import type { SpanPlace } from "./span-places.js";
import { mayBeIn } from "./record-search.js";
import type { TraceTables } from "./trace-tables.js";

/** Options of {@link StoredAttributes}. */
export interface StoredAttributesOptions {
  readonly db: SqlDatabase;
  readonly tables: Pick<TraceTables, "places">;
  readonly reader: Pick<ChunkReader, "find">;
  /** Store time. */
  readonly nowMs: () => number;
  /** Present while a rebuild adds spans to traces. */
  readonly unindexed: () => object | undefined;
  /** Bytes of spans that a question parses. Default: 256 MiB. */
  readonly maxReadBytes?: number | undefined;
}

/** Reads the values of an attribute, for one question. */
export interface StoredAttributeReading {
  /**
   * The values of a trace; undefined if the question has read too much before.
   *
   * @param lastMs - store time of its last span.
   */
  valuesOf(sequence: number, lastMs: number, timeSlice: TimeSlice): Promise<readonly string[] | undefined>;
}

/** A trace is cached if its last span is older: another span of the same millisecond would not be noticed. */
const SETTLED_MS = 1000;

/** Reads attributes from the chunks, and only from those whose signature may have the key. A trace without changes is read once. */
export class StoredAttributes {
  readonly #options: StoredAttributesOptions;
  readonly #cache = new AttributeCache<number>(() => new Map());
  readonly #signature: SqlStatement;

  constructor(options: StoredAttributesOptions) {
    this.#options = options;
    this.#signature = options.db.prepare(`SELECT ${SOUND_BITS} FROM chunk_signature WHERE id = ?`);
  }

  read(path: string): StoredAttributeReading {
    const { tables, nowMs, unindexed, maxReadBytes = MAX_READ_BYTES } = this.#options;
    const found = new AttributeValues(path);
    const json = found.searched.map(
      ({ folded, isInKeys }) => new JsonTextSearch(folded, PIECE_BYTES, isInKeys),
    );
    const mayHave = this.#chunksWith(found);
    return {
      valuesOf: async (sequence, lastMs, timeSlice) => {
        const known = this.#cache.get(path, sequence, lastMs);
        if (known !== undefined) return known;
        if (found.readBytes > maxReadBytes) return undefined;
        const isSettled = lastMs < nowMs() - SETTLED_MS && unindexed() === undefined;
        const { spans, evaluations } = tables.places(sequence);
        for (const place of [...spans, ...evaluations])
          if (mayHave(place.chunk) && (await this.#isEnough(place, found, json, timeSlice))) break;
        const values = found.take();
        if (isSettled) this.#cache.set(path, sequence, lastMs, values);
        return values;
      },
    };
  }

  /** Adds the values of a span. @returns true if there are as many as are taken. */
  async #isEnough(
    place: SpanPlace,
    found: AttributeValues,
    searches: readonly JsonTextSearch[],
    timeSlice: TimeSlice,
  ): Promise<boolean> {
    const span = this.#options.reader.find(place);
    const json = span?.record.jsonOf(span.index);
    if (json === undefined) return false;
    const { bytes, start, end } = json;
    if (!(await mayBeIn(searches, bytes, start, end, timeSlice))) return false;
    return await runInSlices(found.matches(bytes, start, end), timeSlice);
  }

  /** Tells which chunks may have the attribute. */
  #chunksWith({ signed }: AttributeValues): (chunk: number) => boolean {
    const queries = signed.map(({ folded, isNumber }) => new SignatureQuery(folded, isNumber));
    const known = new Map<number, boolean>();
    return (chunk) => {
      let mayHave = known.get(chunk);
      if (mayHave === undefined) {
        const bits = this.#signature.get(chunk)?.["bits"];
        // The open chunk has no signature yet.
        mayHave = queries.every((query) => query.mayContain(bits instanceof Uint8Array ? bits : null));
        known.set(chunk, mayHave);
      }
      return mayHave;
    };
  }
}
