import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { isLoopback } from "../ingest/origin-guard.js";
import type { IngestQueue, TraceStore } from "../interfaces.js";
import type { Logger } from "../logging/logger.js";
import { createMemoryQueue } from "../queue/memory-queue.js";
import { createPressureLog } from "../queue/pressure-log.js";
import { withoutRepeats } from "../queue/without-repeats.js";
import { urlHost } from "../runtime/url-host.js";
import type { Foundation } from "./foundation.js";

/** The ingestion queue: in memory, or in Redis where several collectors share it. */
export async function createQueue(
  { config, clock, logger }: Foundation,
  store: TraceStore | undefined,
): Promise<IngestQueue> {
  const limits = {
    capacitySpans: config["limits.max_queue_size"],
    capacityBytes: config["limits.max_queue_bytes"],
    softLimitPct: config["backpressure.soft_limit_pct"],
    hardLimitPct: config["backpressure.hard_limit_pct"],
    mode: config["backpressure.mode"],
  };
  const common = { ...limits, onLevel: createPressureLog({ logger: logger.child("queue"), clock, limits }) };
  const url = config["queue.url"];
  if (url === undefined) return withoutRepeats(createMemoryQueue(common), clock);
  const log = logger.child("redis");
  warnOfPlainText(url, log);
  // Most collectors never load the client.
  const { createRedisQueue } = await import("../queue/redis/redis-queue.js");
  return createRedisQueue({
    ...common,
    url,
    replicaId: config["queue.replica_id"] ?? `${hostname()}-${randomBytes(4).toString("hex")}`,
    deadLetterTtlSeconds: config["queue.dead_letter_ttl_seconds"],
    clock,
    log,
    saving: store && {
      save: () => store.flush(),
      everyMs: store.usage().diskBytes === null ? 0 : config["trace_store.commit_interval_ms"],
    },
  });
}

/** The stream has the texts of spans from before redaction. */
function warnOfPlainText(url: string, log: Pick<Logger, "warning">): void {
  const target = new URL(url);
  if (target.protocol === "rediss:" || isLoopback(urlHost(target))) return;
  log.warning(
    `Spans go to Redis at ${target.hostname} in plain text, before redaction: use rediss:// in queue.url unless the network is trusted.`,
  );
}
