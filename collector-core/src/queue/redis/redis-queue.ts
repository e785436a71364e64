import type { IngestQueue, PressureLevel, QueueUsage } from "../../interfaces.js";
import { createConnection, type Reply } from "../../redis/connection.js";
import { RESET_AFTER_MS } from "../../redis/pause.js";
import { within } from "../../runtime/within.js";
import type { Clock } from "../../runtime/clock.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { pressureLevel, usagePct, type QueueLimits } from "../pressure.js";
import { createAcknowledger, type Saving } from "./acknowledger.js";
import { ADMIT_WITHIN_MS, createAdmitter } from "./admitter.js";
import { createCaretaker } from "./caretaker.js";
import type { BatchEntry, Entry } from "./entries.js";
import { createFetcher } from "./fetcher.js";
import { createHeldEntries } from "./held-entries.js";
import { ParsedSpans } from "./parsed-spans.js";

/** Options of {@link createRedisQueue}. */
export interface RedisQueueOptions extends QueueLimits {
  /** `queue.url`. */
  readonly url: string;
  /** `queue.replica_id`: names this collector among those that share the queue. */
  readonly replicaId: string;
  /** `limits.max_body_bytes`. */
  readonly maxBatchBytes: number;
  /** `queue.dead_letter_ttl_seconds`. */
  readonly deadLetterTtlSeconds: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: { info(message: string): void; warning(message: string): void };
  readonly onLevel: (level: PressureLevel, usagePct: number) => void;
  /** Processed spans are acknowledged when they are saved. Undefined if nothing saves them. */
  readonly saving: Saving | undefined;
}

const LOOK_EVERY_MS = 1000;
/** Entries that are fetched together… */
const MAX_TOGETHER = 32;
/** …and their bytes, unless one of them has more. */
const MAX_BYTES_TOGETHER = 32 * 1024 * 1024;
/** How often entries are claimed between two looks, some each time. */
const MAX_CLAIMS = 32;
/** How long a collector that stops waits for each of the last answers. */
const STOP_WITHIN_MS = 1000;

/**
 * A queue that several collectors share: a stream of Redis with a consumer group. A batch is in the stream before its sender gets
 * a 202, and stays there until a collector has processed it: at least once. Batches are fetched ahead, so that `take` never waits.
 */
export function createRedisQueue(options: RedisQueueOptions): IngestQueue {
  const { url, replicaId, clock, log } = options;
  /** As Redis told last; batches in flight included. */
  const shared = { spans: 0, bytes: 0 };
  const counts = { redeliveredBatches: 0, deadLetters: 0, deadSpans: 0 };
  let level: PressureLevel = "normal";
  /** Undefined until Redis has answered, or could not be reached. */
  let isAvailable: boolean | undefined;
  /** The clock of Redis minus the monotonic clock. */
  let clockOffsetMs = 0;
  let answeredAtMs = clock.monotonic();
  let looks: NodeJS.Timeout | undefined;
  let isLooking = false;
  /** True once no more is fetched. */
  let isStopping = false;
  let isAbandoned = false;

  const parsed = new ParsedSpans(clock);
  const main = createConnection({ url, name: "obspan", onFailure: unavailable, onReady: () => void look() });
  const reading = createConnection({
    url,
    name: "obspan-reader",
    onFailure: () => undefined,
    onReady: () => undefined,
  });
  const caretaker = createCaretaker({
    ...options,
    connection: main,
    heldIds: () => held.ids(),
    hasRoom: () => held.hasRoom(),
    atOnce,
    onClaimed(entries, deliveries) {
      const taken = entries.filter(({ id }) => !held.has(id));
      counts.redeliveredBatches += taken.length;
      receive(taken, deliveries);
    },
    onLost: (ids) => held.lose(ids),
    onBuried(spans, reason) {
      counts.deadLetters++;
      counts.deadSpans += spans;
      log.warning(
        reason === "deliveries"
          ? `A batch of ${spans} spans was put aside: five collectors have taken it, and none has finished it.`
          : "An entry of the queue was put aside: it is no batch.",
      );
    },
  });
  const held = createHeldEntries({
    onProcessed: createAcknowledger({
      connection: main,
      replicaId,
      clock,
      saving: options.saving,
      onCounters: update,
      isAbandoned: () => isAbandoned,
    }),
    onUnreadable: (entry) => void buryUnreadable(entry).finally(() => entry.settle(false)),
    onRoom: () => fetcher.wake(),
    spansOf: (id) => parsed.take(id),
  });
  const fetcher = createFetcher({
    connection: reading,
    replicaId,
    hasRoom: () => held.hasRoom(),
    atOnce,
    onEntries: receive,
  });

  const admit = createAdmitter({
    connection: main,
    limits: options,
    clock,
    isFull,
    clockOffsetMs: () => clockOffsetMs,
    onCounters: update,
    onFailure: unavailable,
    onAdmitted: (id, batch) => parsed.put(id, batch),
  });

  function isFull(more: { spans: number; bytes: number }): boolean {
    return usagePct(shared.spans + more.spans, shared.bytes + more.bytes, options) >= options.hardLimitPct;
  }

  /** Redis does not say how large the next entries are, and gives them together. */
  function atOnce(): number {
    const isLittle = isAvailable === true && shared.bytes <= MAX_BYTES_TOGETHER;
    const most = isLittle ? MAX_TOGETHER : Math.floor(MAX_BYTES_TOGETHER / options.maxBatchBytes);
    return Math.min(Math.max(most, 1), MAX_TOGETHER);
  }

  function receive(entries: readonly Entry[], deliveries?: number): void {
    held.add(entries.filter(isOfBatch), deliveries);
    for (const entry of entries) if (!isOfBatch(entry)) void buryUnreadable(entry);
  }

  /** If Redis is away, the entry is claimed again later. */
  async function buryUnreadable({ id }: Entry): Promise<void> {
    await caretaker.bury(id, "unreadable", 1).catch(() => undefined);
  }

  function unavailable(reason: string): void {
    if (isAvailable === false || isAbandoned) return;
    isAvailable = false;
    log.warning(
      `Redis does not answer (${reason}). Batches are refused with 503 queue_unavailable until it does; those that were ` +
        "accepted wait in Redis.",
    );
  }

  function available(serverMs: Reply | undefined): void {
    answeredAtMs = clock.monotonic();
    clockOffsetMs = Number(serverMs) - answeredAtMs;
    if (isAvailable === true) return;
    isAvailable = true;
    log.info("Redis answers: batches are accepted.");
  }

  function update(spans: Reply | undefined, bytes: Reply | undefined): void {
    shared.spans = Number(spans);
    shared.bytes = Number(bytes);
    const pct = usagePct(shared.spans, shared.bytes, options);
    const reached = pressureLevel(pct, options);
    if (reached === level) return;
    level = reached;
    options.onLevel(level, pct);
  }

  /** Asks Redis how it is, and looks after the stream. */
  async function look(): Promise<void> {
    if (isLooking || isAbandoned) return;
    isLooking = true;
    try {
      const [spans, bytes, serverMs] = await within(ADMIT_WITHIN_MS, caretaker.look());
      update(spans, bytes);
      available(serverMs);
      parsed.expire();
      await within(RESET_AFTER_MS, tend());
    } catch (error) {
      // The first collector makes the group a little later.
      if (!errorMessage(error).startsWith("NOGROUP")) unavailable(errorMessage(error));
      if (clock.monotonic() - answeredAtMs >= RESET_AFTER_MS) {
        answeredAtMs = clock.monotonic();
        main.reset();
        reading.reset();
      }
    } finally {
      isLooking = false;
    }
  }

  async function tend(): Promise<void> {
    const wasSure = caretaker.isSure();
    await caretaker.touch();
    if (!wasSure) held.announce();
    // A collector that ended under load may leave thousands.
    for (let claims = 0; claims < MAX_CLAIMS && !isStopping && held.hasRoom(); claims++)
      if (!(await caretaker.claim())) return;
  }

  async function takeNoMore(): Promise<void> {
    isStopping = true;
    // Without an answer, what Redis gave out meanwhile is taken over by another collector later.
    await within(STOP_WITHIN_MS, fetcher.stop()).catch(() => undefined);
  }

  return {
    start() {
      log.info(
        `Batches wait in Redis at ${new URL(url).host}; this collector is ${replicaId}. Each is processed at least once.`,
      );
      main.open();
      fetcher.start();
      looks = setInterval(() => void look(), LOOK_EVERY_MS);
    },
    offer(batch) {
      const { capacitySpans, capacityBytes } = options;
      const bytes = batch.body.byteLength;
      if (batch.spanCount > capacitySpans)
        return { type: "batch_too_large", unit: "spans", size: batch.spanCount, capacity: capacitySpans };
      if (bytes > capacityBytes)
        return { type: "batch_too_large", unit: "bytes", size: bytes, capacity: capacityBytes };
      if (isAvailable !== true) return { type: "unavailable" };
      return batch.spanCount === 0 ? { type: "accepted", evicted: 0 } : admit(batch);
    },
    take: (maxSpans) => held.take(caretaker.isSure() ? maxSpans : 0),
    onArrival: (listener) => held.onArrival(listener),
    takeNoMore,
    async abandon() {
      await takeNoMore();
      isAbandoned = true;
      clearInterval(looks);
      reading.close();
      await within(STOP_WITHIN_MS, caretaker.release()).catch(() => undefined);
      held.clear();
      main.close();
      return 0;
    },
    usage: (): QueueUsage => ({
      spans: Math.max(0, shared.spans - held.inFlight),
      bytes: shared.bytes,
      capacitySpans: options.capacitySpans,
      capacityBytes: options.capacityBytes,
      usagePct: usagePct(shared.spans, shared.bytes, options),
      inFlight: held.inFlight,
      waiting: caretaker.isSure() ? held.waitingSpans : 0,
      level,
      isAvailable: isAvailable === true,
      shared: counts,
    }),
  };
}

function isOfBatch(entry: Entry): entry is BatchEntry {
  return entry.batch !== undefined;
}
