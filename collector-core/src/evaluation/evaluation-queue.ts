/** What bounds an {@link EvaluationQueue}. */
export interface EvaluationQueueOptions {
  /** `evaluation.queue_size`: what may wait. */
  readonly capacity: number;
  /** What the text of all that waits may take together, in characters. */
  readonly maxLength: number;
  /** `evaluation.drop_policy`. */
  readonly dropPolicy: "drop_new" | "drop_oldest";
}

/** Something that waits to be evaluated. */
export interface Waiting {
  /** Characters of text that it holds on to. */
  readonly length: number;
}

/** Where evaluations wait: bounded by count and by their text, independent of the ingestion queue (spec 2.6). */
export class EvaluationQueue<T extends Waiting> {
  #items: T[] = [];
  /** Items before it have been taken. */
  #head = 0;
  #length = 0;

  constructor(private readonly options: EvaluationQueueOptions) {}

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Adds an item. @returns what had to go for it: older ones, or the item itself. */
  offer(item: T): readonly T[] {
    const dropped: T[] = [];
    if (this.options.dropPolicy === "drop_oldest" && item.length <= this.options.maxLength) {
      while (!this.#hasRoomFor(item)) {
        const oldest = this.take();
        if (oldest === undefined) break;
        dropped.push(oldest);
      }
    }
    if (!this.#hasRoomFor(item)) return [item];
    this.#items.push(item);
    this.#length += item.length;
    return dropped;
  }

  /** The item that has waited longest. */
  take(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head++;
    this.#length -= item.length;
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
    this.#length -= removed.reduce((sum, { length }) => sum + length, 0);
    return removed;
  }

  #hasRoomFor(item: T): boolean {
    return this.size < this.options.capacity && this.#length + item.length <= this.options.maxLength;
  }
}
