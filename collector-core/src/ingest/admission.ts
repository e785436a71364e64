import { ApiError, type ErrorCode } from "../api-schema/errors.js";
import type { Admission, IngestClosure, IngestQueue, ReceivedBatch } from "../interfaces.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import { tooLargeMessage } from "./validate-batch.js";

/** Counters of the ingest routes (contract 4, "The ledger"). */
export interface IngestCounters {
  received(spans: number): void;
  accepted(spans: number): void;
  rejected(reason: ErrorCode, spans: number): void;
  dropped(reason: "evicted_oldest", spans: number): void;
  duplicateBatch(): void;
  invalidValue(field: string): void;
}

/** Offers batches to the queue and counts the outcome. */
export interface BatchAdmission {
  /** Counts spans of a batch that was refused before it reached the queue. */
  refuse(code: ErrorCode, spans: number): void;
  /**
   * Offers a batch to the queue, and counts its spans as received and by outcome. A repeated batch is counted as such only.
   *
   * @returns true for a new batch, false for a repeated one.
   * @throws `ApiError` queue_full, queue_unavailable, batch_too_large.
   */
  offer(batch: ReceivedBatch): MaybePromise<boolean>;
}

export function createAdmission(queue: IngestQueue, counters: IngestCounters): BatchAdmission {
  function count(admission: Admission, spans: number): boolean {
    if (admission.type === "repeated") {
      counters.duplicateBatch();
      return false;
    }
    counters.received(spans);
    const refusal = refusalOf(admission);
    if (refusal !== undefined) {
      counters.rejected(refusal.code, spans);
      throw refusal;
    }
    counters.accepted(spans);
    if (admission.type === "accepted" && admission.evicted > 0)
      counters.dropped("evicted_oldest", admission.evicted);
    return true;
  }

  function refuse(code: ErrorCode, spans: number): void {
    counters.received(spans);
    counters.rejected(code, spans);
  }

  return {
    refuse,
    offer(batch) {
      const { spanCount } = batch;
      const fail = (error: unknown): never => {
        // A queue that throws has not stored the batch.
        refuse("internal_error", spanCount);
        throw error;
      };
      let admission: MaybePromise<Admission>;
      try {
        admission = queue.offer(batch);
      } catch (error) {
        return fail(error);
      }
      if (admission instanceof Promise) return admission.then((settled) => count(settled, spanCount), fail);
      return count(admission, spanCount);
    },
  };
}

/** The queue drains within seconds and a restart is short, so that a longer delay only holds spans back. */
const RETRY_SOON = { "Retry-After": "1" } as const;
/** A pause lasts minutes: clients ask less often, and the spans arrive within seconds of its end. */
const RETRY_PAUSED = { "Retry-After": "5" } as const;

/** The error for a batch that arrives while none is accepted. */
export function ingestClosed(closure: IngestClosure): ApiError {
  return closure === "shutting_down" ? shuttingDown() : paused();
}

function paused(): ApiError {
  const message = "Collecting is paused in the Obspan app. Resume it there; send the batch again until then.";
  return new ApiError("paused", message, {}, RETRY_PAUSED);
}

/** The error for a batch that arrives during shutdown. */
export function shuttingDown(): ApiError {
  // An open connection delays the shutdown.
  const headers = { ...RETRY_SOON, Connection: "close" };
  return new ApiError("shutting_down", "The collector is stopping and accepts no more spans.", {}, headers);
}

/** Returns the error for a refused batch, or undefined for an accepted one. */
function refusalOf(admission: Exclude<Admission, { type: "repeated" }>): ApiError | undefined {
  switch (admission.type) {
    case "accepted":
      return undefined;
    case "queue_full": {
      const pct = Math.floor(admission.usagePct * 100) / 100;
      const reason =
        pct >= admission.hardLimitPct
          ? `its hard limit is ${admission.hardLimitPct} % (backpressure.hard_limit_pct)`
          : "the batch is larger than the remaining space";
      return new ApiError(
        "queue_full",
        `The ingestion queue is ${pct} % full: ${reason}. Send the batch again later.`,
        { queue_pct: pct, hard_limit_pct: admission.hardLimitPct },
        RETRY_SOON,
      );
    }
    case "unavailable": {
      const message = "The queue of the collector (Redis) does not answer. Send the batch again later.";
      return new ApiError("queue_unavailable", message, {}, RETRY_SOON);
    }
    case "batch_too_large": {
      const { unit, size, capacity } = admission;
      return new ApiError("batch_too_large", tooLargeMessage(unit, size, capacity), { size, capacity });
    }
  }
}
