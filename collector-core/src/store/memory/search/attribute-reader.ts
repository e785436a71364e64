import type { TimeSlice } from "../../../runtime/time-slice.js";
import { AttributeCache } from "../../traces/attribute-cache.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import type { SpanStore } from "../span-store.js";
import { AttributeValues } from "./attribute-values.js";
import { TextSearch } from "./text-search.js";

/** Bytes of spans that a question parses: about two seconds of work, in slices. */
export const MAX_READ_BYTES = 256 * 2 ** 20;

/** Reads the values of an attribute, for one question. */
export interface AttributeReading {
  /** The values of a trace; undefined if the question has read too much before. */
  valuesOf(trace: TraceRecord, timeSlice: TimeSlice): Promise<readonly string[] | undefined>;
}

/** Reads the values of attributes. A trace without changes is read once. */
export class AttributeReader {
  readonly #spans: SpanStore;
  readonly #maxReadBytes: number;
  readonly #cache = new AttributeCache<TraceRecord>(() => new WeakMap());

  constructor(spans: SpanStore, maxReadBytes = MAX_READ_BYTES) {
    this.#spans = spans;
    this.#maxReadBytes = maxReadBytes;
  }

  read(path: string): AttributeReading {
    const found = new AttributeValues(path);
    const search = new TextSearch(found, this.#spans);
    return {
      valuesOf: async (trace, timeSlice) => {
        const known = this.#cache.get(path, trace, trace.changes);
        if (known !== undefined) return known;
        if (found.readBytes > this.#maxReadBytes) return undefined;
        const { changes } = trace;
        await search.matches(trace, timeSlice);
        const values = found.take();
        // Spans may have arrived while it was read.
        if (trace.changes === changes) this.#cache.set(path, trace, changes, values);
        return values;
      },
    };
  }
}
