import type { IncomingMessage } from "node:http";
import { ApiError, type ErrorCode } from "../contract/errors.js";
import type { Admission, Clock, IngestQueue } from "../interfaces.js";
import { RecentKeys } from "../recent-keys.js";
import { requireJson } from "./media-type.js";
import { parseJson } from "./parse-json.js";
import { decodeUtf8, type ReadBody } from "./request-body.js";
import { createSpanIdMaker, makeMissingSpanIds } from "./span-ids.js";
import { RefusedBatch, validateBatch, type ValidBatch } from "./validate-batch.js";

/** Where the route reports (contract 4, "The ledger"). */
export interface IngestCounters {
  received(spans: number): void;
  accepted(spans: number): void;
  rejected(reason: ErrorCode, spans: number): void;
  dropped(reason: "evicted_oldest", spans: number): void;
  duplicateBatch(): void;
  invalidValue(field: string): void;
}

/** What {@link createTelemetryRoute} needs. */
export interface TelemetryRouteOptions {
  readonly queue: IngestQueue;
  readonly counters: IngestCounters;
  readonly clock: Clock;
  readonly readBody: ReadBody;
  /** True once the collector is stopping: nothing more is taken. */
  readonly isStopping: () => boolean;
}

/** Takes one request and returns the body of its 202, or throws the `ApiError` that is its answer. */
export type IngestRoute = (request: IncomingMessage) => Promise<string>;

/** A repeated batch is known among the last 10,000, for 10 minutes (contract 1). */
const REMEMBERED_BATCHES = 10_000;
const REMEMBERED_MS = 10 * 60_000;

/** `POST /v1/telemetry` (spec 4.1): validates, enqueues and answers; all the rest happens afterwards. */
export function createTelemetryRoute(options: TelemetryRouteOptions): IngestRoute {
  const { queue, counters, clock } = options;
  const makeSpanId = createSpanIdMaker();
  const recentBatches = new RecentKeys({ capacity: REMEMBERED_BATCHES, ttlMs: REMEMBERED_MS, clock });

  function refuse(code: ErrorCode, spans: number): void {
    counters.received(spans);
    counters.rejected(code, spans);
  }

  function validate(json: unknown): ValidBatch {
    try {
      return validateBatch(json);
    } catch (error) {
      if (error instanceof RefusedBatch) refuse(error.code, error.spanCount);
      throw error;
    }
  }

  return async function handleTelemetry(request) {
    if (options.isStopping()) throw shuttingDown();
    requireJson(request.headers["content-type"]);
    const body = await options.readBody(request);
    const batch = validate(parseJson(decodeUtf8(body)));
    for (const field of batch.unusableFields) counters.invalidValue(field);
    const spanCount = batch.spans.length;
    if (options.isStopping()) throw shuttingDown();

    const batchKey = batch.batchId === undefined ? undefined : `${batch.batchId}\n${batch.service}`;
    if (batchKey !== undefined && recentBatches.has(batchKey)) {
      counters.duplicateBatch();
      return accepted(spanCount);
    }
    // Remembered before the queue is asked, so that a retry which overtakes its first try is known too.
    if (batchKey !== undefined) recentBatches.add(batchKey);

    counters.received(spanCount);
    const admission = await queue.offer({
      context: {
        tenant: "",
        service: batch.service,
        env: batch.env,
        version: batch.version,
        receivedAtMs: clock.now(),
      },
      batchId: batch.batchId,
      spanCount,
      body,
      spans: batch.spans,
      madeSpanIds: makeMissingSpanIds(batch.spans, makeSpanId, (field) => counters.invalidValue(field)),
    });

    const refusal = refusalOf(admission);
    if (refusal !== undefined) {
      if (batchKey !== undefined) recentBatches.delete(batchKey);
      counters.rejected(refusal.code, spanCount);
      throw refusal;
    }
    counters.accepted(spanCount);
    if (admission.type === "accepted" && admission.evicted > 0) {
      counters.dropped("evicted_oldest", admission.evicted);
    }
    return accepted(spanCount);
  };
}

function accepted(spanCount: number): string {
  return `{"status":"accepted","spans_received":${spanCount}}`;
}

function shuttingDown(): ApiError {
  // A connection that stays open would keep the collector from closing.
  const headers = { ...RETRY_SOON, Connection: "close" };
  return new ApiError("shutting_down", "The collector is stopping and takes no more spans.", {}, headers);
}

/** The queue empties within seconds, or the collector is down for a restart: longer would only hold spans up. */
const RETRY_SOON = { "Retry-After": "1" } as const;

function refusalOf(admission: Admission): ApiError | undefined {
  switch (admission.type) {
    case "accepted":
      return undefined;
    case "queue_full": {
      const pct = Math.round(admission.usagePct * 100) / 100;
      return new ApiError(
        "queue_full",
        `The ingestion queue is ${pct} % full and cannot take the batch; its hard limit is ${admission.hardLimitPct} % (backpressure.hard_limit_pct).`,
        { queue_pct: pct, hard_limit_pct: admission.hardLimitPct },
        RETRY_SOON,
      );
    }
    case "batch_too_large": {
      const key = admission.unit === "spans" ? "limits.max_queue_size" : "limits.max_queue_bytes";
      return new ApiError(
        "batch_too_large",
        `The batch has ${admission.size} ${admission.unit}; the queue holds at most ${admission.capacity} (${key}).`,
        { size: admission.size, capacity: admission.capacity },
      );
    }
  }
}
