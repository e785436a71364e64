import type { ByteAccount } from "../in-flight/byte-budget.js";

/** Options of {@link EvaluationQueue}. */
export interface EvaluationQueueOptions {
  /** `evaluation.queue_size`: maximum number of items. */
  readonly capacity: number;
  /** Bounds the bytes of all items. */
  readonly budget: ByteAccount;
  /** `evaluation.drop_policy`. */
  readonly dropPolicy: "drop_new" | "drop_oldest";
}

/** An item of an {@link EvaluationQueue}. */
export interface QueuedItem {
  /** Memory that the item retains. */
  readonly bytes: number;
}

/** A FIFO queue of evaluations, bounded by count and bytes, independent of the ingestion queue (spec 2.6). */
export class EvaluationQueue<T extends QueuedItem> {
  readonly #capacity: number;
  readonly #budget: ByteAccount;
  readonly #dropPolicy: EvaluationQueueOptions["dropPolicy"];
  #items: T[] = [];
  /** Index of the first item that has not been taken. */
  #head = 0;

  constructor({ capacity, budget, dropPolicy }: EvaluationQueueOptions) {
    this.#capacity = capacity;
    this.#budget = budget;
    this.#dropPolicy = dropPolicy;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Adds an item. @returns the dropped items: older ones, or the item itself. */
  offer(item: T): readonly T[] {
    const dropped: T[] = [];
    if (this.#dropPolicy === "drop_oldest" && item.bytes <= this.#budget.limitBytes) {
      while (!this.#hasRoomFor(item)) {
        const oldest = this.take();
        if (oldest === undefined) break;
        dropped.push(oldest);
      }
    }
    if (this.size >= this.#capacity || !this.#budget.tryTake(item.bytes)) return [item];
    this.#items.push(item);
    return dropped;
  }

  /** Removes and returns the oldest item. */
  take(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head++;
    this.#budget.release(item.bytes);
    // Compacts the array when half of it has been taken.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Removes and returns all matching items. */
  remove(matches: (item: T) => boolean): readonly T[] {
    const queued = this.#items.slice(this.#head);
    const removed = queued.filter(matches);
    this.#items = queued.filter((item) => !matches(item));
    this.#head = 0;
    this.#budget.release(removed.reduce((sum, { bytes }) => sum + bytes, 0));
    return removed;
  }

  #hasRoomFor(item: T): boolean {
    return this.size < this.#capacity && this.#budget.hasRoom(item.bytes);
  }
}
