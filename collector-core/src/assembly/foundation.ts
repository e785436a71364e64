import type { LoadedConfig } from "../config/load-config.js";
import { createByteBudget, type ByteBudget } from "../in-flight/byte-budget.js";
import { defaultInFlightBytes } from "../in-flight/default-limit.js";
import type { IngestClosure } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { Logger } from "../logging/logger.js";
import type { StorageEngineOptions } from "../store/sqlite/engine/create-storage-engine.js";
import type { StartThread } from "../store/sqlite/thread/thread-handle.js";
import { createRecentEvents, watchWarnings, type RecentEvents } from "../logging/recent-events.js";

/** Shared dependencies of all parts of the collector. */
export interface Foundation {
  readonly loaded: LoadedConfig;
  readonly config: LoadedConfig["config"];
  readonly version: string;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly logger: Logger;
  /** Warnings and rejected requests, returned by `GET /v1/events`. */
  readonly events: RecentEvents;
  /** Memory budget of work outside the queue and the store. */
  readonly budget: ByteBudget;
  readonly isStopping: () => boolean;
  /** Why no batch is accepted at present; undefined if batches are accepted. */
  readonly closure: () => IngestClosure | undefined;
  /** Default: the worker of this package. */
  readonly startStorageThread?: StartStorageThread;
}

/** Starts the thread of a trace store on disk. */
export type StartStorageThread = (options: StorageEngineOptions) => StartThread;

export function createFoundation(options: {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  /** Why no batch is accepted at present; undefined if batches are accepted. */
  readonly closure: () => IngestClosure | undefined;
  readonly startStorageThread?: StartStorageThread;
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
