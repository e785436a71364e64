import { byteSizeText } from "../../api-schema/byte-size.js";
import type { Logger } from "../../logging/logger.js";
import { truncateCodePoints } from "../../span/kept-text.js";
import type { Database } from "./database.js";
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
      // What fails is tried again.
      await this.#enforce(maxBytes).catch(() => undefined);
      this.start();
    };
    this.#timer = setTimeout(() => void check(), checkSizeEveryMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #enforce(maxBytes: number): Promise<void> {
    const { database, log, onRemoved } = this.#options;
    const days = await database.rows<{ day: number; bytes: number }>(DAYS);
    let bytes = days.reduce((sum, each) => sum + each.bytes, 0);
    for (const { day, bytes: ofDay } of days.slice(0, -1)) {
      if (bytes <= maxBytes) break;
      const [row] = await database.rows<{ traces: number }>(TRACES_OF_DAY, { day, day_ms: DAY_MS });
      // The traces first: one without its spans would be a row that opens nothing.
      for (const table of ["traces", "spans"])
        await database.run(`ALTER TABLE ${table} DROP PARTITION {day:Int64}`, { day });
      bytes -= ofDay;
      this.#removed += row?.traces ?? 0;
      const date = truncateCodePoints(new Date(day * DAY_MS).toISOString(), 10);
      log.info(
        `The traces of ${date} are removed (${byteSizeText(ofDay)}): the tables were larger than ${LIMIT}.`,
      );
      onRemoved();
    }
    const isTooLarge = bytes > maxBytes;
    if (isTooLarge && !this.#isTooLarge)
      log.warning(`The traces of one day take ${byteSizeText(bytes)}, more than ${LIMIT}. They are kept.`);
    this.#isTooLarge = isTooLarge;
  }
}
