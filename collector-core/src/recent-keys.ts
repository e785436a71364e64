import type { Clock } from "./interfaces.js";

/** What bounds a {@link RecentKeys}. */
export interface RecentKeysOptions {
  /** Keys remembered; when full, the oldest goes. */
  readonly capacity: number;
  /** How long a key is remembered. */
  readonly ttlMs: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Remembers the last keys that it was given, each for a time. When full the oldest is forgotten; nothing is counted,
 * for what is lost is a memory and not a span.
 */
export class RecentKeys {
  readonly #entries = new Map<string, { addedAt: number; slot: number }>();
  /** The keys in order: a Map's own first key is found only by walking over all that were deleted before it. */
  readonly #ring: (string | undefined)[] = [];
  #nextSlot = 0;

  constructor(private readonly options: RecentKeysOptions) {}

  has(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.options.clock.monotonic() - entry.addedAt <= this.options.ttlMs;
  }

  /** Remembers a key from now on; one that is remembered still keeps its place. */
  add(key: string): void {
    const addedAt = this.options.clock.monotonic();
    const known = this.#entries.get(key);
    if (known !== undefined && addedAt - known.addedAt <= this.options.ttlMs) {
      known.addedAt = addedAt;
      return;
    }
    this.delete(key);
    const slot = this.#nextSlot;
    this.#nextSlot = (slot + 1) % this.options.capacity;
    const oldest = this.#ring[slot];
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#ring[slot] = key;
    this.#entries.set(key, { addedAt, slot });
  }

  /** Forgets a key. */
  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#ring[entry.slot] = undefined;
  }

  get size(): number {
    return this.#entries.size;
  }
}
