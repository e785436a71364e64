import type {
  EndedSessions,
  LiveBus,
  SharedBuckets,
  SharedClaims,
  SharedDeletions,
  SharedMarks,
  SharedUsage,
} from "../interfaces.js";
import type { Foundation } from "./foundation.js";
import type { StartedPart } from "./lifecycle.js";

/** What collectors on one Redis share beside the queue. */
export interface Shared extends StartedPart {
  readonly buckets: SharedBuckets;
  readonly marks: SharedMarks;
  readonly claims: SharedClaims;
  /** For a store that collectors share. It connects at the start, if there is a subscriber. */
  readonly live: LiveBus;
  /** The same, of traces that were deleted. */
  readonly deletions: SharedDeletions;
  /** Shares the ended sessions that a collector remembers. */
  endedSessions(known: EndedSessions): EndedSessions;
  usage(): SharedUsage;
}

/** Undefined for a collector with a queue of its own. */
export async function createShared({ config, clock, logger }: Foundation): Promise<Shared | undefined> {
  const url = config["queue.url"];
  if (url === undefined) return undefined;
  // Most collectors never load the client.
  const { createSharedRedis } = await import("../shared/shared-redis.js");
  const { createSharedBuckets } = await import("../shared/shared-buckets.js");
  const { createSharedClaims } = await import("../shared/shared-claims.js");
  const { createSharedDeletions } = await import("../shared/shared-deletions.js");
  const { createSharedEndedSessions } = await import("../shared/shared-ended-sessions.js");
  const { createSharedMarks } = await import("../shared/shared-marks.js");
  const { createSharedLive } = await import("../shared/shared-live.js");
  const log = logger.child("redis");
  const redis = createSharedRedis({ url, clock, log });
  const live = createSharedLive({ redis, url, clock, log });
  return {
    buckets: createSharedBuckets(redis),
    marks: createSharedMarks({ redis }),
    claims: createSharedClaims(redis),
    live,
    deletions: createSharedDeletions({ redis, clock }),
    endedSessions: (known) => createSharedEndedSessions(redis, known),
    usage: () => redis.usage(),
    start() {
      redis.start();
      void live.start();
    },
    stop() {
      void live.stop();
      redis.stop();
    },
  };
}
