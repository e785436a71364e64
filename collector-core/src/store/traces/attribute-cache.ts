import { LRUCache } from "lru-cache";

/** Attributes whose values are cached. A page asks for one again: in another order, and while traces arrive. */
const CACHED_ATTRIBUTES = 4;
/** Bytes of cached values. The cache begins again when there are more. */
const MAX_CACHED_BYTES = 16 * 2 ** 20;
/** The cached values of a trace, without their texts. */
const ENTRY_BYTES = 120;

interface CachedValues {
  readonly version: number;
  readonly values: readonly string[];
}

/** The cached values of traces. */
export interface CachedTraces<Trace> {
  get(trace: Trace): CachedValues | undefined;
  set(trace: Trace, values: CachedValues): unknown;
}

/** What was read of traces that have not changed since, for the last attributes that were asked for. */
export class AttributeCache<Trace> {
  readonly #newMap: () => CachedTraces<Trace>;
  readonly #byPath = new LRUCache<string, CachedTraces<Trace>>({ max: CACHED_ATTRIBUTES });
  #bytes = 0;

  constructor(newMap: () => CachedTraces<Trace>) {
    this.#newMap = newMap;
  }

  /** The values of a trace, if they are of this version of it. */
  get(path: string, trace: Trace, version: number): readonly string[] | undefined {
    const known = this.#byPath.get(path)?.get(trace);
    return known?.version === version ? known.values : undefined;
  }

  set(path: string, trace: Trace, version: number, values: readonly string[]): void {
    this.#bytes += values.reduce((bytes, value) => bytes + value.length * 2, ENTRY_BYTES);
    if (this.#bytes > MAX_CACHED_BYTES) {
      this.#byPath.clear();
      this.#bytes = 0;
    }
    let ofPath = this.#byPath.get(path);
    if (ofPath === undefined) this.#byPath.set(path, (ofPath = this.#newMap()));
    ofPath.set(trace, { version, values });
  }
}
