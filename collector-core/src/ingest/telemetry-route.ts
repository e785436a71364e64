import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.js";
import type { Admission, Clock, IngestQueue } from "../interfaces.js";
import { RecentKeys } from "../recent-keys.js";
import { createAdmission, refusalOf, shuttingDown, type IngestCounters } from "./admission.js";
import type { IngestAnswer, IngestRoute } from "./ingest-route.js";
import { requireJson } from "./media-type.js";
import { isRecord } from "../span/span-facts.js";
import { parseJson } from "./parse-json.js";
import { decodeUtf8, type ReadBody } from "./request-body.js";
import { createSpanIdMaker, makeMissingSpanIds } from "./span-ids.js";
import type { AnswerHeaders, IngestGate } from "./ingest-gate.js";
import type { ReadTenant } from "./tenant.js";
import { RefusedBatch, validateBatch, type ValidBatch } from "./validate-batch.js";

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

/** A repeated batch is known among the last 10,000, for 10 minutes (contract 1). */
const REMEMBERED_BATCHES = 10_000;
const REMEMBERED_MS = 10 * 60_000;

/** `POST /v1/telemetry` (spec 4.1): validates, enqueues and answers; all the rest happens afterwards. */
export function createTelemetryRoute(options: TelemetryRouteOptions): IngestRoute {
  const { queue, counters, clock } = options;
  const makeSpanId = createSpanIdMaker();
  const admit = createAdmission(queue, counters);
  /** Batches whose admission is not settled yet, by key; as many as there are requests at most. */
  const underWay = new Map<string, Promise<void>>();
  const recentBatches = new RecentKeys({ capacity: REMEMBERED_BATCHES, ttlMs: REMEMBERED_MS, clock });

  function validate(json: unknown): ValidBatch {
    try {
      return validateBatch(json, queue.usage().capacitySpans);
    } catch (error) {
      if (error instanceof RefusedBatch) admit.refuse(error.code, error.spanCount);
      throw error;
    }
  }

  async function handle(request: IncomingMessage): Promise<IngestAnswer> {
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
      admit.refuse("shutting_down", spanCount);
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
  }

  /** Spec 4.9 rule 7: the limit of a service, which only the body names; before anything else is said of the body. */
  function limitService(json: unknown, senderHeaders: AnswerHeaders): AnswerHeaders {
    const batch = isRecord(json) ? json : {};
    try {
      return options.gate.enterService(batch["service"], senderHeaders);
    } catch (error) {
      if (error instanceof ApiError)
        admit.refuse(error.code, Array.isArray(batch["spans"]) ? batch["spans"].length : 0);
      throw error;
    }
  }

  async function offer(body: Buffer, batch: ValidBatch, tenant: string): Promise<Admission> {
    const { service, env, version, batchId, spans, unusableFields } = batch;
    const admission = await admit.offer({
      parts: [{ from: 0, context: { tenant, service, env, version, receivedAtMs: clock.now() } }],
      batchId,
      spanCount: spans.length,
      body,
      spans,
      madeSpanIds: makeMissingSpanIds(spans, makeSpanId),
    });
    if (admission.type === "accepted") for (const field of unusableFields) counters.invalidValue(field);
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

  return { handle };
}

function accepted(spanCount: number, headers: AnswerHeaders): IngestAnswer {
  return { status: 202, headers, body: `{"status":"accepted","spans_received":${spanCount}}` };
}
