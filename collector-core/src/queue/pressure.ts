import type { PressureLevel } from "../interfaces.js";

/** What bounds the ingestion queue (spec 3.2, contract 2). */
export interface QueueLimits {
  /** `limits.max_queue_size`. */
  readonly capacitySpans: number;
  /** `limits.max_queue_bytes`. */
  readonly capacityBytes: number;
  /** `backpressure.soft_limit_pct`. */
  readonly softLimitPct: number;
  /** `backpressure.hard_limit_pct`. */
  readonly hardLimitPct: number;
  /** `backpressure.mode`. */
  readonly mode: "reject" | "drop_oldest";
}

/** Use of the queue in percent: by spans or by bytes, whichever is more. */
export function usagePct(spans: number, bytes: number, limits: QueueLimits): number {
  return 100 * Math.max(spans / limits.capacitySpans, bytes / limits.capacityBytes);
}

/** The level that a use stands for; it falls as soon as the use is below the mark (contract 2). */
export function pressureLevel(pct: number, limits: QueueLimits): PressureLevel {
  if (pct >= limits.hardLimitPct) return "hard_limit_active";
  if (pct >= limits.softLimitPct) return "soft_limit_reached";
  return "normal";
}
