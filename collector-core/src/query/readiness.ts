import type { IngestClosure, QueueUsage } from "../interfaces.js";

/** Reasons why the collector is not ready, as spec 4.6 words them; empty if it is ready. */
export function notReadyReasons(
  usage: QueueUsage,
  hardLimitPct: number,
  closure: IngestClosure | undefined,
): string[] {
  const reasons: string[] = [];
  if (usage.usagePct >= hardLimitPct) {
    reasons.push(`queue_pct=${shownPct(usage)}% >= hard_limit=${hardLimitPct}%`);
  }
  if (!usage.isAvailable) reasons.push("queue_unavailable");
  if (closure !== undefined) reasons.push(closure);
  return reasons;
}

/** Queue usage with two decimals. Truncates, so that the value never shows a limit before it is reached. */
export function shownPct(usage: QueueUsage): number {
  return Math.floor(usage.usagePct * 100) / 100;
}
