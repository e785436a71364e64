import { createLedger, type ExporterStats } from "../export/ledger.js";
import type { Span } from "../wire/index.js";
import { loadLateCode } from "../late-code.js";
import { recordingState } from "./runtime.js";

/**
 * Sends the buffered spans now. Resolves when the collector acknowledged each of them, when they were dropped, or when
 * the collector could not be reached after all retries; in that last case the remaining spans stay in the buffer. Never
 * rejects.
 */
export async function flush(): Promise<void> {
  await loadLateCode();
  await recordingState.runtime?.exporter.flush();
}

/**
 * Sends the buffered spans, for at most `shutdownTimeout`, and stops. Spans that end later are dropped and counted.
 * Calling it again has no effect. Never rejects. The SDK does the same when the process ends; at `process.exit()` and in
 * a crash it takes at most one second.
 */
export async function shutdown(): Promise<void> {
  await loadLateCode();
  await recordingState.runtime?.exporter.shutdown();
}

/** What happened to the spans so far. At any moment `enqueued = acked + the sum of dropped + pending`. */
export function stats(): ExporterStats {
  return recordingState.runtime?.exporter.stats() ?? createLedger().stats(0);
}

/**
 * Takes the buffered spans out of the buffer, in the form in which they would be sent. Meant for tests, and for apps that
 * send spans themselves. Leave `pushUrl` unset when you use it.
 */
export function takeSpans(): Span[] {
  return recordingState.runtime?.exporter.takeSpans() ?? [];
}
