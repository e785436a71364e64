import type { DeletedTraces, TraceKey } from "../interfaces.js";
import { traceKeyText } from "../span/trace-key-text.js";

/** When traces were deleted. */
export class KnownDeletions {
  readonly #capacity: number;
  readonly #ofTraces = new Map<string, number>();
  readonly #ofTenants = new Map<string, number>();
  #ofAllMs = -Infinity;

  /** @param capacity - deletions of traces, and of tenants; the oldest are forgotten. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add({ tenant, traceId }: DeletedTraces, atMs: number): void {
    if (tenant === undefined) this.#ofAllMs = Math.max(this.#ofAllMs, atMs);
    else if (traceId === undefined) this.#put(this.#ofTenants, tenant, atMs);
    else this.#put(this.#ofTraces, traceKeyText({ tenant, traceId }), atMs);
  }

  /** When a trace was last deleted; -Infinity if it was not. */
  lastOf(key: TraceKey): number {
    const ofTenantMs = this.#ofTenants.get(key.tenant) ?? -Infinity;
    const ofTraceMs = this.#ofTraces.size === 0 ? undefined : this.#ofTraces.get(traceKeyText(key));
    return Math.max(this.#ofAllMs, ofTenantMs, ofTraceMs ?? -Infinity);
  }

  #put(known: Map<string, number>, key: string, atMs: number): void {
    const before = known.get(key) ?? -Infinity;
    known.delete(key);
    known.set(key, Math.max(before, atMs));
    if (known.size <= this.#capacity) return;
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  }
}
