import { byteSizeText } from "../../api-schema/byte-size.js";
import type { Logger } from "../../logging/logger.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { truncateCodePoints } from "../../span/kept-text.js";
import type { Database } from "./database.js";
import { isSameFailure } from "./same-failure.js";
import { DAY_MS } from "./schema.js";

/** Options of {@link SizeLimit}. */
export interface SizeLimitOptions {
  readonly database: Database;
  readonly log: Pick<Logger, "info" | "warning">;
  /** `trace_store.disk_max_bytes`; undefined if nothing limits the tables. */
  readonly maxBytes: number | undefined;
  /** How often the size is looked at. Default: every minute. */
  readonly checkSizeEveryMs?: number | undefined;
  /** Called when traces were removed. */
  readonly onRemoved: () => void;
}

const CHECK_EVERY_MS = 60_000;
const LIMIT = "trace_store.disk_max_bytes";

const DAYS = `SELECT toInt64(partition) AS day, sum(bytes_on_disk) AS bytes FROM system.parts
WHERE active AND database = currentDatabase() AND table IN ('spans', 'traces') GROUP BY day ORDER BY day`;
const TRACES_OF_DAY =
  "SELECT count() AS traces FROM traces FINAL WHERE intDiv(first_received_ms, {day_ms:Int64}) = {day:Int64}";

/** Removes the oldest days, but not the newest one, while the tables are too large. Collectors that do it together remove a day once. */
export class SizeLimit {
  readonly #options: SizeLimitOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #removed = 0;
  /** Whether that was logged. */
  #isTooLarge = false;
  /** Why the last check did not do its work; null if it did. */
  #failure: string | null = null;

  constructor(options: SizeLimitOptions) {
    this.#options = options;
  }

  /** Traces that were removed since the start. */
  get removed(): number {
    return this.#removed;
  }

  start(): void {
    const { maxBytes, checkSizeEveryMs = CHECK_EVERY_MS } = this.#options;
    if (maxBytes === undefined || this.#isStopped) return;
    const check = async (): Promise<void> => {
      try {
        await this.#enforce(maxBytes);
        this.#failure = null;
      } catch (error) {
        if (!this.#isStopped) this.#failed(errorMessage(error));
      }
      this.start();
    };
    this.#timer = setTimeout(() => void check(), checkSizeEveryMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #failed(reason: string): void {
    if (this.#failure === null || !isSameFailure(this.#failure, reason))
      this.#options.log.warning(`The tables may be larger than ${LIMIT}: ${reason} It is tried again.`);
    this.#failure = reason;
  }

  /** @throws what ClickHouse refused first. */
  async #enforce(maxBytes: number): Promise<void> {
    const { database, log } = this.#options;
    const days = await database.rows<{ day: number; bytes: number }>(DAYS);
    let bytes = days.reduce((sum, each) => sum + each.bytes, 0);
    const failures: unknown[] = [];
    for (const { day, bytes: ofDay } of days.slice(0, -1)) {
      if (bytes <= maxBytes) break;
      try {
        await this.#removeDay(day, byteSizeText(ofDay));
        bytes -= ofDay;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    const isTooLarge = bytes > maxBytes;
    if (isTooLarge && !this.#isTooLarge)
      log.warning(`The traces of one day take ${byteSizeText(bytes)}, more than ${LIMIT}. They are kept.`);
    this.#isTooLarge = isTooLarge;
  }

  async #removeDay(day: number, size: string): Promise<void> {
    const { database, log, onRemoved } = this.#options;
    const [row] = await database.rows<{ traces: number }>(TRACES_OF_DAY, { day, day_ms: DAY_MS });
    // The traces first: one without its spans would be a row that opens nothing.
    await database.run(dropDay("traces"), { day });
    this.#removed += row?.traces ?? 0;
    onRemoved();
    await database.run(dropDay("spans"), { day });
    const date = truncateCodePoints(new Date(day * DAY_MS).toISOString(), 10);
    log.info(`The traces of ${date} are removed (${size}): the tables were larger than ${LIMIT}.`);
  }
}

/** ClickHouse keeps a partition of more than 50 GB, unless it is told otherwise. */
function dropDay(table: string): string {
  return `ALTER TABLE ${table} DROP PARTITION {day:Int64} SETTINGS max_partition_size_to_drop = 0`;
}
