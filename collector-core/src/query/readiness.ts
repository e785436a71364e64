import type { QueueUsage } from "../interfaces.js";

/** Why the collector is not ready, in the words of spec 4.6; none where it is. */
export function notReadyReasons(usage: QueueUsage, hardLimitPct: number, isStopping: boolean): string[] {
  const reasons: string[] = [];
  if (usage.usagePct >= hardLimitPct) {
    reasons.push(`queue_pct=${shownPct(usage)}% >= hard_limit=${hardLimitPct}%`);
  }
  if (isStopping) reasons.push("shutting_down");
  return reasons;
}

/** Use of the queue as it is shown: two decimals, cut off, so that it never reads as a limit not yet reached. */
export function shownPct(usage: QueueUsage): number {
  return Math.floor(usage.usagePct * 100) / 100;
}
