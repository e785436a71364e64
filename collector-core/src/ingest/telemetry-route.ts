import type { IncomingMessage } from "node:http";
import { ApiError, type ErrorCode } from "../contract/errors.js";
import type { Admission, Clock, IngestQueue } from "../interfaces.js";
import { RecentKeys } from "../recent-keys.js";
import { requireJson } from "./media-type.js";
import { isRecord } from "../span/span-facts.js";
import { parseJson } from "./parse-json.js";
import { decodeUtf8, type ReadBody } from "./request-body.js";
import { createSpanIdMaker, makeMissingSpanIds } from "./span-ids.js";
import type { AnswerHeaders, IngestGate } from "./ingest-gate.js";
import type { ReadTenant } from "./tenant.js";
import { RefusedBatch, tooLargeMessage, validateBatch, type ValidBatch } from "./validate-batch.js";

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
  readonly gate: IngestGate;
  readonly readBody: ReadBody;
  readonly readTenant: ReadTenant;
  /** True once the collector is stopping: nothing more is taken. */
  readonly isStopping: () => boolean;
}

/** What a route answers to spans that it took. */
export interface IngestAnswer {
  readonly status: number;
  /** Content-Type among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Takes one request and returns its answer, or throws the `ApiError` that is its answer. */
export type IngestRoute = (request: IncomingMessage) => Promise<IngestAnswer>;

/** A repeated batch is known among the last 10,000, for 10 minutes (contract 1). */
const REMEMBERED_BATCHES = 10_000;
const REMEMBERED_MS = 10 * 60_000;

/** `POST /v1/telemetry` (spec 4.1): validates, enqueues and answers; all the rest happens afterwards. */
export function createTelemetryRoute(options: TelemetryRouteOptions): IngestRoute {
  const { queue, counters, clock } = options;
  const makeSpanId = createSpanIdMaker();
  /** Batches whose admission is not settled yet, by key; as many as there are requests at most. */
  const underWay = new Map<string, Promise<void>>();
  const recentBatches = new RecentKeys({ capacity: REMEMBERED_BATCHES, ttlMs: REMEMBERED_MS, clock });

  function refuse(code: ErrorCode, spans: number): void {
    counters.received(spans);
    counters.rejected(code, spans);
  }

  function validate(json: unknown): ValidBatch {
    try {
      return validateBatch(json, queue.usage().capacitySpans);
    } catch (error) {
      if (error instanceof RefusedBatch) refuse(error.code, error.spanCount);
      throw error;
    }
  }

  return async function handleTelemetry(request) {
    if (options.isStopping()) throw shuttingDown();
    const senderHeaders = options.gate.enter(request);
    requireJson(request.headers["content-type"]);
    const tenant = options.readTenant(request);
    const body = await options.readBody(request);
    const json = parseJson(decodeUtf8(body));
    const headers = limitService(json, senderHeaders);
    const batch = validate(json);
    const spanCount = batch.spans.length;
    if (options.isStopping()) {
      refuse("shutting_down", spanCount);
      throw shuttingDown();
    }

    const batchKey =
      batch.batchId === undefined ? undefined : [batch.batchId, tenant, batch.service].join("\n");
    if (batchKey !== undefined && (await isRepeated(batchKey))) {
      counters.duplicateBatch();
      return accepted(spanCount, headers);
    }

    counters.received(spanCount);
    const admission = offer(body, batch, tenant);
    if (batchKey !== undefined) remember(batchKey, admission);
    const refusal = refusalOf(await admission);
    if (refusal !== undefined) {
      counters.rejected(refusal.code, spanCount);
      throw refusal;
    }
    return accepted(spanCount, headers);
  };

  /** Spec 4.9 rule 7: the limit of a service, which only the body names; before anything else is said of the body. */
  function limitService(json: unknown, senderHeaders: AnswerHeaders): AnswerHeaders {
    const batch = isRecord(json) ? json : {};
    try {
      return options.gate.enterService(batch["service"], senderHeaders);
    } catch (error) {
      if (error instanceof ApiError)
        refuse(error.code, Array.isArray(batch["spans"]) ? batch["spans"].length : 0);
      throw error;
    }
  }

  /** Offers the batch to the queue and counts what became of it. A queue that fails has taken nothing. */
  async function offer(body: Buffer, batch: ValidBatch, tenant: string): Promise<Admission> {
    const { service, env, version, batchId, spans, unusableFields } = batch;
    let admission: Admission;
    try {
      admission = await queue.offer({
        context: { tenant, service, env, version, receivedAtMs: clock.now() },
        batchId,
        spanCount: spans.length,
        body,
        spans,
        madeSpanIds: makeMissingSpanIds(spans, makeSpanId),
      });
    } catch (error) {
      counters.rejected("internal_error", spans.length);
      throw error;
    }
    if (admission.type === "accepted") {
      counters.accepted(spans.length);
      if (admission.evicted > 0) counters.dropped("evicted_oldest", admission.evicted);
      for (const field of unusableFields) counters.invalidValue(field);
    }
    return admission;
  }

  /** Remembers a batch that was taken. While that is not settled, a repeat waits for it. */
  function remember(batchKey: string, admission: Promise<Admission>): void {
    const settled = admission.then(
      ({ type }) => {
        if (type === "accepted") recentBatches.add(batchKey);
      },
      () => undefined,
    );
    underWay.set(
      batchKey,
      settled.finally(() => underWay.delete(batchKey)),
    );
  }

  async function isRepeated(batchKey: string): Promise<boolean> {
    await underWay.get(batchKey);
    return recentBatches.has(batchKey);
  }
}

function accepted(spanCount: number, headers: AnswerHeaders): IngestAnswer {
  return { status: 202, headers, body: `{"status":"accepted","spans_received":${spanCount}}` };
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
