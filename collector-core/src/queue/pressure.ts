import type { PressureLevel } from "../interfaces.js";

/** Limits of the ingestion queue (spec 3.2, contract 2). */
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

/** Queue usage in percent, by spans or by bytes, whichever is higher. */
export function usagePct(spans: number, bytes: number, limits: QueueLimits): number {
  return 100 * Math.max(spans / limits.capacitySpans, bytes / limits.capacityBytes);
}

/** The pressure level of a usage, without hysteresis (contract 2). */
export function pressureLevel(pct: number, limits: QueueLimits): PressureLevel {
  if (pct >= limits.hardLimitPct) return "hard_limit_active";
  if (pct >= limits.softLimitPct) return "soft_limit_reached";
  return "normal";
}
