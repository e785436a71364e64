import { mergeBlocks, type StepBlock } from "./step-blocks.js";

/** Options of {@link BlockRing}. */
export interface BlockRingOptions {
  readonly maxBytes: number;
}

/** Keeps the newest blocks, one for each step, bounded by bytes. Evicts the oldest first. */
export class BlockRing {
  readonly #blocks: StepBlock[] = [];
  /** Blocks that {@link takeChanged} has not returned. */
  readonly #changed = new Set<StepBlock>();
  #bytes = 0;
  #evictedMs: number | undefined;
  readonly #maxBytes: number;

  constructor({ maxBytes }: BlockRingOptions) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a block. Merges it with the block of the same step, if there is one. */
  add(block: StepBlock): void {
    this.#changed.add(this.#insert(block));
    this.#evictExcess();
  }

  /** Adds a block that was saved before. {@link takeChanged} returns it only when it was merged with another one. */
  restore(block: StepBlock): void {
    const inserted = this.#insert(block);
    if (inserted !== block) this.#changed.add(inserted);
    this.#evictExcess();
  }

  /** Returns the blocks of the steps before `ms` that are new or changed since the last call, oldest first. */
  takeChanged(ms: number): readonly StepBlock[] {
    const taken = this.#blocks.filter((block) => block.startMs < ms && this.#changed.has(block));
    for (const block of taken) this.#changed.delete(block);
    return taken;
  }

  /** Evicts all steps that began before `ms`. */
  evictBefore(ms: number): void {
    while ((this.#blocks[0]?.startMs ?? ms) < ms) this.#shift();
  }

  /** The blocks of the steps from `ms` on and before `endMs`, oldest first. A step without counts has no block. */
  from(ms: number, endMs = Infinity): readonly StepBlock[] {
    return this.#blocks.filter(({ startMs }) => startMs >= ms && startMs < endMs);
  }

  has(startMs: number): boolean {
    return this.#blocks.some((block) => block.startMs === startMs);
  }

  /** Start of the oldest step; undefined when there is none. */
  get oldestMs(): number | undefined {
    return this.#blocks[0]?.startMs;
  }

  /** Start of the newest step that was evicted for its size; undefined when there is none. */
  get evictedMs(): number | undefined {
    return this.#evictedMs;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #insert(block: StepBlock): StepBlock {
    let at = this.#blocks.length;
    while (at > 0 && (this.#blocks[at - 1]?.startMs ?? 0) > block.startMs) at--;
    const same = this.#blocks[at - 1];
    if (same?.startMs !== block.startMs) {
      this.#blocks.splice(at, 0, block);
      this.#bytes += block.bytes;
      return block;
    }
    const merged = mergeBlocks(block.startMs, [same, block]);
    this.#blocks[at - 1] = merged;
    this.#changed.delete(same);
    this.#bytes += merged.bytes - same.bytes;
    return merged;
  }

  #evictExcess(): void {
    while (this.#bytes > this.#maxBytes && this.#blocks.length > 1) this.#evictedMs = this.#shift();
  }

  #shift(): number | undefined {
    const block = this.#blocks.shift();
    if (block === undefined) return undefined;
    this.#bytes -= block.bytes;
    this.#changed.delete(block);
    return block.startMs;
  }
}
