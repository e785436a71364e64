import { ApiError, type ErrorCode } from "../api-schema/errors.js";
import type { Admission, IngestQueue, ReceivedBatch } from "../interfaces.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import { tooLargeMessage } from "./validate-batch.js";

/** Where the routes that bring spans report (contract 4, "The ledger"). */
export interface IngestCounters {
  received(spans: number): void;
  accepted(spans: number): void;
  rejected(reason: ErrorCode, spans: number): void;
  dropped(reason: "evicted_oldest", spans: number): void;
  duplicateBatch(): void;
  invalidValue(field: string): void;
}

/** The way into the queue, and what is counted on it. */
export interface BatchAdmission {
  /** Counts spans that were refused before they could be offered. */
  refuse(code: ErrorCode, spans: number): void;
  /**
   * Offers a batch whose spans have been counted as received, and counts what became of it.
   *
   * @throws `ApiError` queue_full, batch_too_large.
   */
  offer(batch: ReceivedBatch): MaybePromise<void>;
}

export function createAdmission(queue: IngestQueue, counters: IngestCounters): BatchAdmission {
  function count(admission: Admission, spans: number): void {
    const refusal = refusalOf(admission);
    if (refusal !== undefined) {
      counters.rejected(refusal.code, spans);
      throw refusal;
    }
    counters.accepted(spans);
    if (admission.type === "accepted" && admission.evicted > 0)
      counters.dropped("evicted_oldest", admission.evicted);
  }

  return {
    refuse(code, spans) {
      counters.received(spans);
      counters.rejected(code, spans);
    },
    offer(batch) {
      const { spanCount } = batch;
      const fail = (error: unknown): never => {
        // A queue that fails has taken nothing.
        counters.rejected("internal_error", spanCount);
        throw error;
      };
      let admission: MaybePromise<Admission>;
      try {
        admission = queue.offer(batch);
      } catch (error) {
        return fail(error);
      }
      if (admission instanceof Promise) return admission.then((settled) => count(settled, spanCount), fail);
      count(admission, spanCount);
      return undefined;
    },
  };
}

/** The queue empties within seconds, or the collector is down for a restart: longer would only hold spans up. */
const RETRY_SOON = { "Retry-After": "1" } as const;

/** The answer of a collector that takes nothing more. */
export function shuttingDown(): ApiError {
  // A connection that stays open would keep the collector from closing.
  const headers = { ...RETRY_SOON, Connection: "close" };
  return new ApiError("shutting_down", "The collector is stopping and takes no more spans.", {}, headers);
}

/** The answer to a batch that the queue did not take; undefined where it did. */
function refusalOf(admission: Admission): ApiError | undefined {
  switch (admission.type) {
    case "accepted":
      return undefined;
    case "queue_full": {
      const pct = Math.floor(admission.usagePct * 100) / 100;
      const why =
        pct >= admission.hardLimitPct
          ? `its hard limit is ${admission.hardLimitPct} % (backpressure.hard_limit_pct)`
          : "the batch does not fit what is left";
      return new ApiError(
        "queue_full",
        `The ingestion queue is ${pct} % full: ${why}. Send it again later.`,
        { queue_pct: pct, hard_limit_pct: admission.hardLimitPct },
        RETRY_SOON,
      );
    }
    case "batch_too_large": {
      const { unit, size, capacity } = admission;
      return new ApiError("batch_too_large", tooLargeMessage(unit, size, capacity), { size, capacity });
    }
  }
}
