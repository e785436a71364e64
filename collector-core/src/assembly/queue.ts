import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { isLoopback } from "../ingest/origin-guard.js";
import type { IngestQueue } from "../interfaces.js";
import { createMemoryQueue } from "../queue/memory-queue.js";
import { createPressureLog } from "../queue/pressure-log.js";
import type { Saving } from "../queue/redis/acknowledger.js";
import { withoutRepeats } from "../queue/without-repeats.js";
import { urlHost } from "../runtime/url-host.js";
import type { Foundation } from "./foundation.js";

/**
 * The ingestion queue: in memory, or in Redis where several collectors share it.
 *
 * @param saving - how processed spans are saved; undefined if nothing saves them.
 */
export async function createQueue(
  { config, clock, logger }: Foundation,
  saving: Saving | undefined,
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
  // The stream has the texts of spans from before redaction.
  if (isPlainText(url, "rediss:"))
    log.warning(
      `Spans go to Redis at ${new URL(url).hostname} in plain text, before redaction: use rediss:// in queue.url unless the network is trusted.`,
    );
  // Most collectors never load the client.
  const { createRedisQueue } = await import("../queue/redis/redis-queue.js");
  return createRedisQueue({
    ...common,
    url,
    replicaId: config["queue.replica_id"] ?? `${hostname()}-${randomBytes(4).toString("hex")}`,
    maxBatchBytes: config["limits.max_body_bytes"],
    deadLetterTtlSeconds: config["queue.dead_letter_ttl_seconds"],
    clock,
    log,
    saving,
  });
}

/** True if spans go to another machine in plain text. */
export function isPlainText(url: string, secureProtocol: "rediss:" | "https:"): boolean {
  const target = new URL(url);
  return target.protocol !== secureProtocol && !isLoopback(urlHost(target));
}
