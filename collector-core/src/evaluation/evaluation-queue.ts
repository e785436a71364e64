import type { ByteAccount } from "../in-flight/byte-budget.js";

/** What bounds an {@link EvaluationQueue}. */
export interface EvaluationQueueOptions {
  /** `evaluation.queue_size`: what may wait. */
  readonly capacity: number;
  /** What all that waits may hold together. */
  readonly budget: ByteAccount;
  /** `evaluation.drop_policy`. */
  readonly dropPolicy: "drop_new" | "drop_oldest";
}

/** Something that waits to be evaluated. */
export interface Waiting {
  /** Memory that it holds on to. */
  readonly bytes: number;
}

/** Where evaluations wait: bounded by count and by their text, independent of the ingestion queue (spec 2.6). */
export class EvaluationQueue<T extends Waiting> {
  #items: T[] = [];
  /** Items before it have been taken. */
  #head = 0;

  constructor(private readonly options: EvaluationQueueOptions) {}

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Adds an item. @returns what had to go for it: older ones, or the item itself. */
  offer(item: T): readonly T[] {
    const dropped: T[] = [];
    if (this.options.dropPolicy === "drop_oldest" && item.bytes <= this.options.budget.limitBytes) {
      while (!this.#hasRoomFor(item)) {
        const oldest = this.take();
        if (oldest === undefined) break;
        dropped.push(oldest);
      }
    }
    if (this.size >= this.options.capacity || !this.options.budget.tryTake(item.bytes)) return [item];
    this.#items.push(item);
    return dropped;
  }

  /** The item that has waited longest. */
  take(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head++;
    this.options.budget.giveBack(item.bytes);
    // Half of an array of taken items is as much as is worth keeping.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Takes out every item that matches. */
  remove(matches: (item: T) => boolean): readonly T[] {
    const waiting = this.#items.slice(this.#head);
    const removed = waiting.filter(matches);
    this.#items = waiting.filter((item) => !matches(item));
    this.#head = 0;
    this.options.budget.giveBack(removed.reduce((sum, { bytes }) => sum + bytes, 0));
    return removed;
  }

  #hasRoomFor(item: T): boolean {
    return this.size < this.options.capacity && this.options.budget.hasRoom(item.bytes);
  }
}
