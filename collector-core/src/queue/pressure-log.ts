import type { PressureLevel } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { QueueLimits } from "./pressure.js";

/** What {@link createPressureLog} needs. */
export interface PressureLogOptions {
  readonly logger: { warning(message: string, context?: Record<string, unknown>): void };
  readonly clock: Pick<Clock, "monotonic">;
  readonly limits: Pick<QueueLimits, "softLimitPct" | "hardLimitPct" | "mode">;
}

/** A level that is reached again within this time belongs to the same episode: a full queue flutters at its mark. */
const SAME_EPISODE_MS = 10_000;

/** Warns once an episode when the queue reaches its soft and its hard limit (spec 3.2, contract 2). */
export function createPressureLog({ logger, clock, limits }: PressureLogOptions) {
  const leftAtMs = { soft_limit_reached: -Infinity, hard_limit_active: -Infinity };
  const isIn = { soft_limit_reached: false, hard_limit_active: false };
  const messages = {
    soft_limit_reached:
      `The ingestion queue has reached its soft limit of ${limits.softLimitPct} %: spans come faster than they are ` +
      `processed. Nothing is lost until ${limits.hardLimitPct} %.`,
    hard_limit_active:
      `The ingestion queue has reached its hard limit of ${limits.hardLimitPct} %: ` +
      (limits.mode === "reject"
        ? "new spans are refused with 429 until there is room. "
        : "the oldest spans in it are dropped for new ones. ") +
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
