import type { LoadedConfig } from "../config/load-config.js";
import { createByteBudget, type ByteBudget } from "../in-flight/byte-budget.js";
import { defaultInFlightBytes } from "../in-flight/default-limit.js";
import type { Clock } from "../runtime/clock.js";
import type { Logger } from "../logging/logger.js";
import { createRecentEvents, watchWarnings, type RecentEvents } from "../logging/recent-events.js";

/** What every part of the collector is built with. */
export interface Foundation {
  readonly loaded: LoadedConfig;
  readonly config: LoadedConfig["config"];
  readonly version: string;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly logger: Logger;
  /** Warnings and refused requests, as `GET /v1/events` answers them. */
  readonly events: RecentEvents;
  /** Memory of work that is neither in the queue nor in the store. */
  readonly budget: ByteBudget;
  readonly isStopping: () => boolean;
}

export function createFoundation(options: {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
}): Foundation {
  const { loaded, clock } = options;
  const { config } = loaded;
  const events = createRecentEvents(clock);
  for (const message of loaded.warnings) events.warned({ level: "WARNING", logger: "config", message });
  return {
    ...options,
    config,
    startedAtMs: clock.monotonic(),
    logger: watchWarnings(options.logger, events),
    events,
    budget: createByteBudget({
      limitBytes: config["limits.max_in_flight_bytes"] ?? defaultInFlightBytes(),
      clock,
    }),
  };
}
