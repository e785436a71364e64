import type { TraceKey } from "../interfaces.js";
import { traceKeyText } from "../span/trace-key-text.js";

/** The traces that changed in one step. */
export interface Step {
  /** Of all tenants; undefined for a burst. */
  readonly keys: readonly TraceKey[] | undefined;
  /** By tenant; undefined for a burst of that tenant. */
  readonly keysOf: ReadonlyMap<string, readonly TraceKey[] | undefined>;
  /** Number of the newest evaluation at the end of the step. */
  readonly evaluation: number;
  /** Set if the step resets every reader. */
  readonly reset: "burst" | "cleared" | undefined;
  /** Number of keys and tenants. */
  readonly size: number;
}

/** Collects the traces that change in the current step. */
export class ChangedTraces {
  readonly #all = new Map<string, TraceKey>();
  /** By tenant and trace id; undefined for a burst of that tenant. */
  readonly #ofTenant = new Map<string, Map<string, TraceKey> | undefined>();
  /** Number of keys and tenants. */
  #size = 0;

  readonly #maxTraces: number;
  readonly #maxSize: number;

  constructor(maxTraces: number, maxSize: number) {
    this.#maxTraces = maxTraces;
    this.#maxSize = maxSize;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  add(key: TraceKey): void {
    // One key beyond the limit marks a burst; further keys are not needed.
    if (this.#all.size <= this.#maxTraces) this.#all.set(traceKeyText(key), key);
    if (this.#isOverfull()) return;
    const { tenant, traceId } = key;
    let keys = this.#ofTenant.get(tenant);
    if (keys === undefined) {
      if (this.#ofTenant.has(tenant)) return;
      this.#ofTenant.set(tenant, (keys = new Map()));
      this.#size++;
    }
    if (keys.has(traceId)) return;
    if (keys.size === this.#maxTraces) {
      this.#ofTenant.set(tenant, undefined);
      this.#size -= keys.size;
      return;
    }
    keys.set(traceId, key);
    this.#size++;
    if (this.#isOverfull()) this.#ofTenant.clear();
  }

  /** True if the step is a burst for every reader, because too many tenants have changes. */
  #isOverfull(): boolean {
    return this.#size > this.#maxSize;
  }

  step(evaluation: number, isCleared: boolean): Step {
    const reset = isCleared ? "cleared" : this.#isOverfull() ? "burst" : undefined;
    if (reset !== undefined) return { keys: undefined, keysOf: new Map(), evaluation, reset, size: 0 };
    const keysOf = new Map(
      [...this.#ofTenant].map(([tenant, keys]) => [
        tenant,
        keys === undefined ? undefined : [...keys.values()],
      ]),
    );
    const keys = this.#all.size > this.#maxTraces ? undefined : [...this.#all.values()];
    return { keys, keysOf, evaluation, reset, size: this.#size };
  }
}
