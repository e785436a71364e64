import type { Ledger } from "../assembly/ledger.js";
import type { Collector } from "../collector.js";
import type { LoadedConfig } from "../config/load-config.js";
import { LONGEST_TIMER_MS } from "../runtime/longest-timer.js";
import type { Logger } from "../logging/logger.js";

/** Options of {@link stopInOrder}. */
export interface OrderlyStopOptions {
  readonly collector: Collector;
  readonly loaded: LoadedConfig;
  readonly logger: Logger;
  /** Reason of the stop, such as `SIGTERM`. */
  readonly reason: string;
}

/** Extra time after the grace period before the stop is abandoned. */
const MARGIN_MS = 500;

/**
 * Stops a collector by spec 4.9 rule 6 and logs the ledger as the last line. It returns after the grace period even if
 * a part of the collector hangs.
 */
export async function stopInOrder({ collector, loaded, logger, reason }: OrderlyStopOptions): Promise<void> {
  const graceSeconds = loaded.config["shutdown.grace_period_seconds"];
  logger.info(`Stopping: ${reason}`, { grace_period_seconds: graceSeconds });
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<Ledger>((resolve) => {
    const limitMs = Math.min(graceSeconds * 1000 + MARGIN_MS, LONGEST_TIMER_MS);
    timer = setTimeout(() => resolve(collector.ledger()), limitMs);
  });
  const ledger = await Promise.race([collector.stop(), timeUp]);
  clearTimeout(timer);
  logLedger(logger, ledger);
}

/** Logs the outcome of all spans (contract 4). */
function logLedger(logger: Logger, ledger: Ledger): void {
  logger.info("Ledger", {
    received: ledger.received,
    accepted: ledger.accepted,
    processed: ledger.processed,
    queued: ledger.queued,
    in_flight: ledger.inFlight,
    rejected: ledger.rejected,
    dropped: ledger.dropped,
    ...(ledger.exported === undefined ? {} : { export: ledger.exported }),
    ...(ledger.evaluated === undefined ? {} : { evaluation: ledger.evaluated }),
  });
}
