import type { TraceKey } from "../interfaces.js";

/** The traces that changed in one step. */
export interface Step {
  /** Of all tenants together; undefined where they are a burst. */
  readonly keys: readonly TraceKey[] | undefined;
  /** By tenant; undefined for one whose traces are a burst. */
  readonly keysOf: ReadonlyMap<string, readonly TraceKey[] | undefined>;
  /** Number of the newest evaluation when the step ended. */
  readonly evaluation: number;
  /** What the step is to every reader, whatever it asks for. */
  readonly reset: "burst" | "cleared" | undefined;
  /** What it takes in memory: keys, and tenants. */
  readonly size: number;
}

/** The traces that change in the step under way. */
export class ChangedTraces {
  readonly #all = new Map<string, TraceKey>();
  /** By tenant and trace id; undefined for a tenant whose traces are a burst. */
  readonly #ofTenant = new Map<string, Map<string, TraceKey> | undefined>();
  /** Keys and tenants that are held. */
  #size = 0;

  constructor(
    private readonly maxTraces: number,
    private readonly maxSize: number,
  ) {}

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  add(key: TraceKey): void {
    // One more than is sent tells a burst; more than that need not be held.
    if (this.#all.size <= this.maxTraces) this.#all.set(keyText(key), key);
    if (this.#isOverfull()) return;
    const { tenant, traceId } = key;
    let keys = this.#ofTenant.get(tenant);
    if (keys === undefined) {
      if (this.#ofTenant.has(tenant)) return;
      this.#ofTenant.set(tenant, (keys = new Map()));
      this.#size++;
    }
    if (keys.has(traceId)) return;
    if (keys.size === this.maxTraces) {
      this.#ofTenant.set(tenant, undefined);
      this.#size -= keys.size;
      return;
    }
    keys.set(traceId, key);
    this.#size++;
    if (this.#isOverfull()) this.#ofTenant.clear();
  }

  /** True where so many tenants have changes that the step is a burst to all. */
  #isOverfull(): boolean {
    return this.#size > this.maxSize;
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
    const keys = this.#all.size > this.maxTraces ? undefined : [...this.#all.values()];
    return { keys, keysOf, evaluation, reset, size: this.#size };
  }
}

/** A trace's key as one text. A tenant has no line break, so no two keys have the same. */
export function keyText({ traceId, tenant }: TraceKey): string {
  return `${traceId}\n${tenant}`;
}
