import type { Clock, PressureLevel } from "../interfaces.js";

/** What {@link createPressureLog} needs. */
export interface PressureLogOptions {
  readonly logger: { warning(message: string, context?: Record<string, unknown>): void };
  readonly clock: Pick<Clock, "monotonic">;
}

/** A level that is reached again within this time belongs to the same episode: a full queue flutters at its mark. */
const SAME_EPISODE_MS = 1000;

const MESSAGES = {
  soft_limit_reached: "The ingestion queue has reached its soft limit.",
  hard_limit_active: "The ingestion queue has reached its hard limit.",
} as const;

/** Warns once an episode when the queue reaches its soft and its hard limit (spec 3.2, contract 2). */
export function createPressureLog({ logger, clock }: PressureLogOptions) {
  const leftAtMs = { soft_limit_reached: -Infinity, hard_limit_active: -Infinity };
  const isIn = { soft_limit_reached: false, hard_limit_active: false };

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
      logger.warning(MESSAGES[level], { queue_pct: Math.round(usagePct * 100) / 100 });
    }
  }

  return (level: PressureLevel, usagePct: number): void => {
    update("soft_limit_reached", level !== "normal", usagePct);
    update("hard_limit_active", level === "hard_limit_active", usagePct);
  };
}
