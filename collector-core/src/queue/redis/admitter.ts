import type { Admission, ReceivedBatch } from "../../interfaces.js";
import { listOf, type Argument, type Connection, type Reply } from "../../redis/connection.js";
import { hashedKey } from "../../redis/hashed-key.js";
import { pause } from "../../redis/pause.js";
import { within } from "../../runtime/within.js";
import type { Clock } from "../../runtime/clock.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { appendAll } from "../../runtime/append-all.js";
import { usagePct, type QueueLimits } from "../pressure.js";
import { REMEMBERED_MS } from "../remembered-batches.js";
import { writeEntry } from "./entries.js";
import { BATCH_PREFIX, COUNTERS, STREAM } from "./keys.js";
import { ADMIT, FULL, REPEATED } from "./scripts.js";

/** Options of {@link createAdmitter}. */
export interface AdmitterOptions {
  readonly connection: Connection;
  readonly limits: QueueLimits;
  readonly clock: Pick<Clock, "monotonic">;
  /** True if the queue was at its hard limit, with more in it, when Redis answered last. */
  readonly isFull: (more: { readonly spans: number; readonly bytes: number }) => boolean;
  /** The clock of Redis minus the monotonic clock. */
  readonly clockOffsetMs: () => number;
  /** Spans and bytes in Redis afterwards. */
  readonly onCounters: (spans: Reply | undefined, bytes: Reply | undefined) => void;
  readonly onFailure: (message: string) => void;
  /** Called with each batch that was admitted, and the id of its entry. */
  readonly onAdmitted: (id: string, batch: ReceivedBatch) => void;
}

/** A batch that Redis has not admitted by then is refused, and Redis does not admit it later. */
export const ADMIT_WITHIN_MS = 2000;
/** How long the answer may take beyond that: the script may have run at the last moment. */
const ANSWER_MARGIN_MS = 500;
/** How long a batch waits for room before it is refused: a sender that is refused at once costs more than one that is answered later. */
const ROOM_WITHIN_MS = 1000;
const LOOK_FOR_ROOM_MS = 10;
/** Questions that wait for their answers. */
const MAX_ASKED = 4;
/** What Redis admits in one step, during which it does nothing else: less than a millisecond. */
const MAX_TOGETHER = 64;
const MAX_BYTES_TOGETHER = 1024 * 1024;

interface Offer {
  readonly batch: ReceivedBatch;
  readonly offeredAtMs: number;
  readonly resolve: (admission: Admission) => void;
}

/**
 * Admits batches. One goes to Redis at once, and those that come in the same turn of the event loop follow together: under load a batch
 * costs less, and no answer waits for another turn. While there is no room they wait for it, as senders wait for a collector that is busy
 * with a queue of its own.
 */
export function createAdmitter(options: AdmitterOptions): (batch: ReceivedBatch) => Promise<Admission> {
  const { connection, limits, clock } = options;
  const { capacitySpans, capacityBytes, hardLimitPct, mode } = limits;
  const marks = [(capacitySpans * hardLimitPct) / 100, (capacityBytes * hardLimitPct) / 100];
  const common = [...[capacitySpans, capacityBytes, ...marks].map(String), mode, String(REMEMBERED_MS)];
  let waiting: Offer[] = [];
  /** What was asked for and is not answered. */
  const asked = { questions: 0, spans: 0, bytes: 0 };
  let isTurnAwaited = false;
  let isRoomAwaited = false;

  /** Asks for what waits, as far as it may go now. */
  function askNext(): void {
    while (asked.questions < MAX_ASKED) {
      const group = takeGroup();
      if (group.length === 0) break;
      void ask(group);
    }
    if (waiting.length > 0 && asked.questions < MAX_ASKED) void awaitRoom();
  }

  async function awaitRoom(): Promise<void> {
    if (isRoomAwaited) return;
    isRoomAwaited = true;
    await pause(LOOK_FOR_ROOM_MS);
    isRoomAwaited = false;
    askNext();
  }

  async function ask(group: readonly Offer[]): Promise<void> {
    const spans = sum(group, ({ batch }) => batch.spanCount);
    const bytes = sum(group, ({ batch }) => batch.body.byteLength);
    asked.questions++;
    asked.spans += spans;
    asked.bytes += bytes;
    try {
      await admit(group);
    } catch (error) {
      refuse(group, errorMessage(error));
    } finally {
      asked.questions--;
      asked.spans -= spans;
      asked.bytes -= bytes;
    }
    askNext();
  }

  /**
   * While the queue is full, a batch waits, and so do those after it. One that is larger than the room of a queue that is not full
   * is refused at once: it would hold up smaller ones.
   */
  function mustWait({ offeredAtMs }: Offer, before: { spans: number; bytes: number }): boolean {
    if (mode !== "reject" || !options.isFull(before)) return false;
    return clock.monotonic() - offeredAtMs < ROOM_WITHIN_MS;
  }

  /** What goes together; nothing if all have to wait. */
  function takeGroup(): Offer[] {
    const taken = { spans: asked.spans, bytes: asked.bytes };
    let bytesTogether = 0;
    let count = 0;
    for (const offer of waiting) {
      const { spanCount, body } = offer.batch;
      const isMuch = count > 0 && bytesTogether + body.byteLength > MAX_BYTES_TOGETHER;
      if (count === MAX_TOGETHER || isMuch || mustWait(offer, taken)) break;
      taken.spans += spanCount;
      taken.bytes += body.byteLength;
      bytesTogether += body.byteLength;
      count++;
    }
    return waiting.splice(0, count);
  }

  async function admit(group: readonly Offer[]): Promise<void> {
    const deadlineMs = (group[0]?.offeredAtMs ?? 0) + ADMIT_WITHIN_MS;
    const keys = [STREAM, COUNTERS];
    const args: Argument[] = [String(Math.ceil(deadlineMs + options.clockOffsetMs())), ...common];
    for (const { batch } of group) {
      const key = batchKeyOf(batch);
      if (key !== undefined) keys.push(key);
      const fields = writeEntry(batch);
      const sizes = [batch.spanCount, batch.body.byteLength, key === undefined ? 0 : 1, fields.length];
      appendAll(args, sizes.map(String));
      appendAll(args, fields);
    }
    const answerWithinMs = deadlineMs - clock.monotonic() + ANSWER_MARGIN_MS;
    const [spans, bytes, , ...admissions] = listOf(
      await within(answerWithinMs, connection.run(ADMIT, keys, args)),
    );
    options.onCounters(spans, bytes);
    const pct = usagePct(Number(spans), Number(bytes), limits);
    for (const [index, { batch, resolve }] of group.entries())
      resolve(admissionOf(admissions[index], batch, pct));
  }

  function admissionOf(reply: Reply | undefined, batch: ReceivedBatch, pct: number): Admission {
    if (reply === undefined) return { type: "unavailable" };
    if (reply === REPEATED) return { type: "repeated" };
    if (reply === FULL) return { type: "queue_full", usagePct: pct, hardLimitPct };
    const [evicted, id] = listOf(reply);
    options.onAdmitted(String(id), batch);
    return { type: "accepted", evicted: Number(evicted) };
  }

  /** Batches that were not yet sent need not wait for a Redis that does not answer. */
  function refuse(group: readonly Offer[], message: string): void {
    if (message.startsWith("OOM")) {
      for (const { resolve } of group) resolve({ type: "queue_full", usagePct: 100, hardLimitPct });
      return;
    }
    options.onFailure(message);
    for (const { resolve } of [...group, ...waiting]) resolve({ type: "unavailable" });
    waiting = [];
  }

  return (batch) =>
    new Promise((resolve) => {
      waiting.push({ batch, offeredAtMs: clock.monotonic(), resolve });
      if (isTurnAwaited) return;
      isTurnAwaited = true;
      // Before the client writes what it is given now: it does so in this turn too, and writes both together.
      setImmediate(() => {
        isTurnAwaited = false;
        askNext();
      });
      if (asked.questions === 0) askNext();
    });
}

function sum(offers: readonly Offer[], of: (offer: Offer) => number): number {
  return offers.reduce((total, offer) => total + of(offer), 0);
}

/** The key that remembers a batch id, which is unique within its tenant and service; undefined without an id. */
function batchKeyOf({ batchId, parts }: ReceivedBatch): string | undefined {
  if (batchId === undefined) return undefined;
  const { tenant, service } = parts[0].context;
  return hashedKey(BATCH_PREFIX, JSON.stringify([tenant, service, batchId]));
}
