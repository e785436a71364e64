import { createLedger, type ExporterStats } from "../export/ledger.js";
import { lateCode, loadLateCode } from "../late-code.js";
import type { Span } from "../wire/index.js";
import { hookStates, type HookStates } from "./hook-states.js";
import { recordingState } from "./runtime.js";

/** Options of {@link flush}. */
export interface FlushOptions {
  /** Longest wait, in milliseconds. Default: 5,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Sends the buffered spans now. Resolves when the collector acknowledged each of them, when they were dropped, or when
 * the collector could not be reached after all retries; in that last case the remaining spans stay in the buffer. Never
 * rejects.
 *
 * @returns false if the time limit came first. The spans are still sent in the background.
 *
 * @example
 * ```ts
 * export async function handler(event: unknown) {
 *   const answer = await support(event);
 *   await flush({ timeoutMs: 1000 }); // before the platform freezes the process
 *   return answer;
 * }
 * ```
 */
export async function flush({ timeoutMs = 5000 }: FlushOptions = {}): Promise<boolean> {
  await loadLateCode();
  const exporter = recordingState.runtime?.exporter;
  return exporter === undefined || (await lateCode()?.flushWithin(exporter, timeoutMs)) === true;
}

/**
 * Sends the buffered spans, for at most `shutdownTimeout`, and stops. Spans that end later are dropped and counted.
 * Calling it again has no effect. Never rejects. The SDK does the same when the process ends; at `process.exit()` and in
 * a crash it takes at most one second.
 *
 * @example
 * ```ts
 * await server.close();
 * await shutdown();
 * process.exit();
 * ```
 */
export async function shutdown(): Promise<void> {
  await loadLateCode();
  await recordingState.runtime?.exporter.shutdown();
}

/** What happened to the spans of this process, and what `@obspan/sdk/register` has hooked. */
export interface Stats extends ExporterStats {
  /** What `@obspan/sdk/register` has hooked. Absent without it. */
  readonly hooks?: HookStates;
}

/**
 * What happened to the spans so far. At any moment `enqueued = acked + the sum of dropped + pending`. With
 * `@obspan/sdk/register`, `hooks` says what is hooked.
 *
 * @example
 * ```ts
 * const { acked, dropped, pending } = stats();
 * ```
 */
export function stats(): Stats {
  return { ...(recordingState.runtime?.exporter.stats() ?? createLedger().stats(0)), ...hookStates() };
}

/**
 * Takes the buffered spans out of the buffer, in the form in which they would be sent. Meant for tests, and for apps that
 * send spans themselves. Leave `pushUrl` unset when you use it.
 *
 * @example
 * ```ts
 * expect(takeSpans().map(({ name }) => name)).toEqual(["search", "support"]);
 * ```
 */
export function takeSpans(): Span[] {
  return recordingState.runtime?.exporter.takeSpans() ?? [];
}
