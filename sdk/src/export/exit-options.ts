import type { Config } from "../config/options.js";
import type { Environment } from "../config/read-config.js";
import type { DeliveryLoop } from "./delivery-loop.js";
import type { ExporterStats, Ledger } from "./ledger.js";
import type { SpanBuffer } from "./span-buffer.js";

/** What sends the buffered spans when the process ends. */
export interface ExitOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly buffer: SpanBuffer;
  readonly ledger: Ledger;
  /** Sends the buffered spans. */
  readonly flush: () => Promise<void>;
  /** Sends the buffered spans within `shutdownTimeout`, and drops the rest. */
  readonly settle: () => Promise<void>;
  readonly stats: () => ExporterStats;
  /** The loop that sends batches, once it is loaded. */
  readonly loop: () => DeliveryLoop | undefined;
}
