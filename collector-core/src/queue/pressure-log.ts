import type { PressureLevel } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { QueueLimits } from "./pressure.js";

/** Options of {@link createPressureLog}. */
export interface PressureLogOptions {
  readonly logger: { warning(message: string, context?: Record<string, unknown>): void };
  readonly clock: Pick<Clock, "monotonic">;
  readonly limits: Pick<QueueLimits, "softLimitPct" | "hardLimitPct" | "mode">;
}

/** Reaching a level again within this time continues the episode. A full queue oscillates around its limit. */
const SAME_EPISODE_MS = 10_000;

/** Logs one warning per episode when the queue reaches its soft or its hard limit (spec 3.2, contract 2). */
export function createPressureLog({ logger, clock, limits }: PressureLogOptions) {
  const leftAtMs = { soft_limit_reached: -Infinity, hard_limit_active: -Infinity };
  const isIn = { soft_limit_reached: false, hard_limit_active: false };
  const messages = {
    soft_limit_reached:
      `The ingestion queue has reached its soft limit of ${limits.softLimitPct} %: spans arrive faster than they are ` +
      `processed. No span is lost below ${limits.hardLimitPct} %.`,
    hard_limit_active:
      `The ingestion queue has reached its hard limit of ${limits.hardLimitPct} %: ` +
      (limits.mode === "reject"
        ? "new spans are rejected with 429 until there is room. "
        : "its oldest spans are dropped to make room for new ones. ") +
      "Send fewer spans, or raise limits.max_queue_size and limits.max_queue_bytes for bursts.",
  };

  function update(
    level: "soft_limit_reached" | "hard_limit_active",
    reached: boolean,
    usagePct: number,
  ): void {
    if (reached === isIn[level]) return;
    isIn[level] = reached;
    if (!reached) {
      leftAtMs[level] = clock.monotonic();
    } else if (clock.monotonic() - leftAtMs[level] >= SAME_EPISODE_MS) {
      logger.warning(messages[level], { queue_pct: Math.floor(usagePct * 100) / 100 });
    }
  }

  return (level: PressureLevel, usagePct: number): void => {
    update("soft_limit_reached", level !== "normal", usagePct);
    update("hard_limit_active", level === "hard_limit_active", usagePct);
  };
}
