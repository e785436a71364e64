import type { PlacedSpan } from "./span-places.js";

/** A trace that is read page by page. Its chunks stay in the file until it is closed. */
export interface Reading {
  readonly chunks: ReadonlySet<number>;
  /** The span cap dropped spans. Only then a reader asks which of the others are wrappers. */
  readonly hasDropped: boolean;
  readonly byArrival: readonly PlacedSpan[];
  /** By start time, ties by arrival; set by the first page in that order. */
  byStart: readonly PlacedSpan[] | undefined;
}

/** The traces that are being read. A number is never used again: a reader of a file that was cleared finds nothing. */
export class OpenReadings {
  readonly #readings = new Map<number, Reading>();
  #lastId = 0;

  add(reading: Reading): number {
    const id = ++this.#lastId;
    this.#readings.set(id, reading);
    return id;
  }

  get(id: number): Reading | undefined {
    return this.#readings.get(id);
  }

  delete(id: number): void {
    this.#readings.delete(id);
  }

  all(): Iterable<Reading> {
    return this.#readings.values();
  }

  /** Forgets all, because the file was replaced. */
  clear(): void {
    this.#readings.clear();
  }
}
