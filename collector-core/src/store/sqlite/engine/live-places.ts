import { LRUCache } from "lru-cache";
import type { TraceKey } from "../../../interfaces.js";
import type { SpanPlace, TracePlaces } from "./span-places.js";
import type { TraceTables } from "./trace-tables.js";

/** Traces whose places are remembered during a search: those of a few chunks, whose spans alternate. */
const REMEMBERED_TRACES = 1000;

/** A span with the sequence of its trace. */
export interface PlaceInTrace extends SpanPlace {
  readonly sequence: number;
}

/** Tells stored spans from those that were replaced or dropped. Remembers the places of the last traces. */
export class LivePlaces {
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

  has({ sequence, chunk, ordinal }: PlaceInTrace): boolean {
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
