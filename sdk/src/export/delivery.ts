import { sharedState } from "../capture/shared-state.js";
import type { Span } from "../wire/index.js";
import { Ledger, type ExporterStats } from "./ledger.js";

/**
 * Sends what waits now. Resolves when each of these spans is acknowledged or dropped, or the collector could not be
 * reached with all retries, in which case the rest waits on. Never rejects.
 */
export async function flush(): Promise<void> {
  await sharedState.runtime?.exporter.flush();
}

/**
 * Sends what waits, for at most `shutdownTimeout`, and stops: spans that end later are dropped and counted. Safe twice.
 * Never rejects. The end of the process does the same by itself; at `process.exit()` and in a crash within a second.
 */
export async function shutdown(): Promise<void> {
  await sharedState.runtime?.exporter.shutdown();
}

/** What became of the spans so far: `enqueued = acked + the sum of dropped + pending`, at any moment. */
export function stats(): ExporterStats {
  return sharedState.runtime?.exporter.stats() ?? new Ledger().stats(0);
}

/**
 * Takes the spans that wait out of the buffer, as they would have been sent. For tests, and for apps that send spans
 * their own way: leave `pushUrl` unset then.
 */
export function takeSpans(): Span[] {
  return sharedState.runtime?.exporter.takeSpans() ?? [];
}
