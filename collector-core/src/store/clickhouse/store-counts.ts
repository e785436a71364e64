import type { TraceStoreUsage } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import type { Database } from "./database.js";
import { EACH_DAY, IS_KEPT, timeParameters } from "./schema.js";

/** Options of {@link StoreCounts}. */
export interface StoreCountsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly ttlSeconds: number;
}

/** What ClickHouse holds. */
type Counts = Pick<TraceStoreUsage, "traces" | "spans" | "diskBytes" | "oldestAtMs">;

/** Counting a million traces takes ClickHouse a tenth of a second. */
const COUNT_EVERY_MS = 15_000;

const TRACES = `SELECT count() AS traces, sum(span_count + evaluation_count) AS spans, min(first_received_ms) AS oldest
FROM traces FINAL WHERE ${IS_KEPT} SETTINGS ${EACH_DAY}`;
const BYTES = `SELECT sum(bytes_on_disk) AS bytes FROM system.parts
WHERE active AND database = currentDatabase() AND table IN ('spans', 'traces')`;

/** Counts traces and spans now and then. */
export class StoreCounts {
  readonly #options: StoreCountsOptions;
  #current: Counts = { traces: 0, spans: 0, diskBytes: 0, oldestAtMs: null };
  #countedAtMs = -Infinity;
  #counting: Promise<void> | undefined;

  constructor(options: StoreCountsOptions) {
    this.#options = options;
  }

  /** The last known counts. */
  get current(): Counts {
    if (this.#isOld()) this.refreshSoon();
    return this.#current;
  }

  /** Counts again, and nobody waits for it. What was counted before stays if ClickHouse does not answer. */
  refreshSoon(): void {
    void this.refresh().catch(() => undefined);
  }

  /** Counts what is there now. */
  async refresh(): Promise<void> {
    // The one under way may have missed what has just changed.
    await this.#counting?.catch(() => undefined);
    this.#counting ??= this.#count().finally(() => (this.#counting = undefined));
    await this.#counting;
  }

  #isOld(): boolean {
    return this.#options.clock.monotonic() - this.#countedAtMs >= COUNT_EVERY_MS;
  }

  async #count(): Promise<void> {
    const { database, clock } = this.#options;
    this.#countedAtMs = clock.monotonic();
    const [[traces], [disk]] = await Promise.all([
      database.rows<{ traces: number; spans: number; oldest: number }>(TRACES, timeParameters(this.#options)),
      database.rows<{ bytes: number }>(BYTES),
    ]);
    this.#current = {
      traces: traces?.traces ?? 0,
      spans: traces?.spans ?? 0,
      diskBytes: disk?.bytes ?? 0,
      oldestAtMs: traces === undefined || traces.traces === 0 ? null : traces.oldest,
    };
  }
}
