import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import type { IngestClosure, IngestQueue } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";
import { createAdmission, ingestClosed, type IngestCounters } from "./admission.js";
import type { IngestResponse, IngestRoute } from "./ingest-route.js";
import { requireJson } from "./media-type.js";
import { isRecord } from "../span/span-facts.js";
import { BATCH_BOUNDS, parseJson, requireJsonBounds } from "./parse-json.js";
import { decodeLargeBody, decodeUtf8, isLargeBody } from "./decode-utf8.js";
import type { ReadBody } from "./request-body.js";
import { createSpanIdGenerator, generateMissingSpanIds } from "./span-ids.js";
import type { EnteredRequest, IngestGate, ResponseHeaders } from "./ingest-gate.js";
import type { ReadTenant } from "./tenant.js";
import { RefusedBatch, validateBatch, type ValidBatch } from "./validate-batch.js";

/** Options of {@link createTelemetryRoute}. */
export interface TelemetryRouteOptions {
  readonly queue: IngestQueue;
  readonly counters: IngestCounters;
  readonly clock: Clock;
  readonly gate: IngestGate;
  readonly readBody: ReadBody;
  readonly readTenant: ReadTenant;
  /** Why every batch is refused at present; undefined if batches are accepted. */
  readonly closure: () => IngestClosure | undefined;
}

/** `POST /v1/telemetry` (spec 4.1): validates, enqueues and answers. All processing happens later. */
export function createTelemetryRoute(options: TelemetryRouteOptions): IngestRoute {
  const { queue, counters, clock } = options;
  const { capacitySpans } = queue.usage();
  const generateSpanId = createSpanIdGenerator();
  const admit = createAdmission(queue, counters);

  function handle(request: IncomingMessage): Promise<IngestResponse> {
    const closure = options.closure();
    if (closure !== undefined) throw ingestClosed(closure);
    const entered = options.gate.enter(request);
    requireJson(request.headers["content-type"]);
    const tenant = options.readTenant(request);
    return options.readBody(request, (body) => processBody(body, tenant, entered));
  }

  function processBody(body: Buffer, tenant: string, entered: EnteredRequest): MaybePromise<IngestResponse> {
    requireJsonBounds(body, BATCH_BOUNDS);
    if (!isLargeBody(body)) return processText(decodeUtf8(body), body, tenant, entered);
    return decodeLargeBody(body, clock).then((text) => processText(text, body, tenant, entered));
  }

  function processText(
    text: string,
    body: Buffer,
    tenant: string,
    entered: EnteredRequest,
  ): MaybePromise<IngestResponse> {
    const json = parseJson(text);
    return whenResolved(limitService(json, entered), ({ headers }) => {
      const batch = validate(json);
      const spanCount = batch.spans.length;
      const closure = options.closure();
      if (closure !== undefined) {
        admit.refuse(closure, spanCount);
        throw ingestClosed(closure);
      }
      return whenResolved(offer(body, batch, tenant), () => accepted(spanCount, headers));
    });
  }

  /** Spec 4.9 rule 7: checks the rate limit of the service, which the body names, before the body is validated. */
  function limitService(json: unknown, entered: EnteredRequest): MaybePromise<EnteredRequest> {
    const batch = isRecord(json) ? json : {};
    const refuse = (error: unknown): never => {
      if (error instanceof ApiError)
        admit.refuse(error.code, Array.isArray(batch["spans"]) ? batch["spans"].length : 0);
      throw error;
    };
    try {
      const limited = options.gate.enterServices([batch["service"]], entered);
      return limited instanceof Promise ? limited.catch(refuse) : limited;
    } catch (error) {
      return refuse(error);
    }
  }

  function validate(json: unknown): ValidBatch {
    try {
      return validateBatch(json, capacitySpans);
    } catch (error) {
      if (error instanceof RefusedBatch) admit.refuse(error.code, error.spanCount);
      throw error;
    }
  }

  function offer(body: Buffer, batch: ValidBatch, tenant: string): MaybePromise<void> {
    const { service, env, version, batchId, spans, unusableFields } = batch;
    const admission = admit.offer({
      parts: [{ from: 0, context: { tenant, service, env, version, receivedAtMs: clock.now() } }],
      batchId,
      spanCount: spans.length,
      body,
      spans,
      generatedSpanIds: generateMissingSpanIds(spans, generateSpanId),
    });
    return whenResolved(admission, (isNew) => {
      if (isNew) for (const field of unusableFields) counters.invalidValue(field);
    });
  }

  return { handle };
}

function accepted(spanCount: number, headers: ResponseHeaders): IngestResponse {
  return { status: 202, headers, body: `{"status":"accepted","spans_received":${spanCount}}` };
}
