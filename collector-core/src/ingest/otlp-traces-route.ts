import type { IncomingMessage } from "node:http";
import type { Span } from "@obspan/sdk/wire";
import { ApiError } from "../api-schema/errors.js";
import type { BatchPart } from "../interfaces.js";
import { createTurnIfDue, nextTurn } from "../runtime/loop-turn.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import { hasManyEvents } from "../otlp/span-from-otlp.js";
import { TooManyMessages } from "../otlp/message-budget.js";
import { applicationsOf, mapInSteps, type Application, type MappedRequest } from "../otlp/spans-from-otlp.js";
import { exceededBound, type ExceededBound } from "../span/json-bounds.js";
import type { OtlpTraceRequest } from "../otlp/received-spans.js";
import { jsonInSteps } from "../span/json-in-steps.js";
import { truncateCodePoints } from "../span/kept-text.js";
import { runInTurns, runWaiting, waitFor, type Steps, type WaitingSteps } from "../runtime/steps.js";
import { createAdmission, ingestClosed } from "./admission.js";
import type { EnteredRequest } from "./ingest-gate.js";
import type { IngestResponse, IngestRoute } from "./ingest-route.js";
import type { LinksOf } from "./link-memory.js";
import {
  formatOtlpError,
  otlpHeaders,
  readError,
  readOtlpInSteps,
  readOtlpRequest,
  requireOtlpEncoding,
  writeOtlpResponse,
  type OtlpEncoding,
} from "./otlp-encoding.js";
import { MAPPED_BOUNDS } from "./parse-json.js";
import type { TelemetryRouteOptions } from "./telemetry-route.js";
import { MAX_CONTEXT_LENGTH } from "./validate-batch.js";

/** Options of {@link createOtlpTracesRoute}. */
export interface OtlpTracesRouteOptions extends TelemetryRouteOptions {
  readonly linksOf: LinksOf;
  /** `limits.max_body_bytes`. */
  readonly maxBodyBytes: number;
}

/**
 * Maximum size of the mapped spans, in units of `limits.max_body_bytes`. Mapped spans are longer than received ones:
 * names are written in full, and each span has the attributes of its resource.
 */
const MAPPED_SIZE_FACTOR = 4;
/** Maximum time that a large request blocks the event loop. */
const SLICE_MS = 5;
/** A larger body is read in steps. A body of this size may have 30,000 empty spans, and 100 ordinary ones. */
const MAX_READ_AT_ONCE = 64 * 1024;
/** Services whose rate limits are looked at in one step: a millisecond. Limits that collectors share are asked for as often. */
const SERVICES_PER_STEP = 250;
/** Characters of spans that are serialized in one step, unless one span has more and few events. */
const CHARACTERS_PER_STEP = 64 * 1024;

/** Sender of a request. */
interface Sender {
  readonly encoding: OtlpEncoding;
  readonly tenant: string;
  readonly entered: EnteredRequest;
}

/**
 * `POST /v1/traces`: OTLP/HTTP in protobuf and JSON. Maps the spans (contract 6) and enqueues and counts them like
 * those of `POST /v1/telemetry`.
 */
export function createOtlpTracesRoute(options: OtlpTracesRouteOptions): Required<IngestRoute> {
  const { counters, clock } = options;
  const admit = createAdmission(options.queue, counters);
  const maxMappedBytes = options.maxBodyBytes * MAPPED_SIZE_FACTOR;

  function handle(request: IncomingMessage): Promise<IngestResponse> {
    const closure = options.closure();
    if (closure !== undefined) throw ingestClosed(closure);
    const entered = options.gate.enter(request);
    const encoding = requireOtlpEncoding(request.headers["content-type"]);
    const sender: Sender = { encoding, tenant: options.readTenant(request), entered };
    return options.readBody(request, (body) => {
      if (body.byteLength > MAX_READ_AT_ONCE) return processInSteps(body, sender);
      return runWaiting(processRequest(readOtlpRequest(body, encoding), sender));
    });
  }

  async function processInSteps(body: Buffer, sender: Sender): Promise<IngestResponse> {
    const turnIfDue = createTurnIfDue({ clock, sliceMs: SLICE_MS, nextTurn });
    const otlp = await runInTurns(readOtlpInSteps(body, sender.encoding), turnIfDue);
    return await runInTurns(processRequest(otlp, sender), turnIfDue);
  }

  function* processRequest(otlp: OtlpTraceRequest, sender: Sender): WaitingSteps<IngestResponse> {
    const { encoding, tenant } = sender;
    const applications = yield* applicationsOf(otlp);
    const { headers } = yield* limitServices(otlp, applications, sender.entered);
    const refuseAll = (error: ApiError): ApiError => {
      admit.refuse(error.code, spanCountOf(otlp));
      return error;
    };
    const links = yield* options.linksOf(tenant, otlp);
    let mapped: MappedRequest;
    try {
      mapped = yield* mapInSteps(otlp, applications, links);
    } catch (error) {
      throw error instanceof TooManyMessages ? refuseAll(readError(error)) : error;
    }
    // The queue is charged for the mapped spans, and the trace store keeps them in this form.
    const body = yield* writeSpans(mapped, maxMappedBytes);
    const { refusedSpans } = mapped;
    const closure = options.closure();
    if (closure !== undefined) {
      admit.refuse(closure, mapped.receivedSpans);
      throw ingestClosed(closure);
    }
    if (body === undefined) throw refuseAll(tooManyBytes(maxMappedBytes));
    yield;
    const exceeded = exceededBound(body, MAPPED_BOUNDS);
    if (exceeded !== undefined) throw refuseAll(tooManyParts(exceeded));
    yield* waitFor(offer(mapped, body, tenant));
    const reason = `invalid_span: ${refusedSpans} spans have no trace_id of 16 bytes or no span_id of 8.`;
    const answer = writeOtlpResponse(encoding, { spans: refusedSpans, reason });
    return { status: 200, headers: otlpHeaders(encoding, headers), body: answer };
  }

  /** Spec 4.9 rule 7: a request counts once for each service that it names. */
  function* limitServices(
    otlp: OtlpTraceRequest,
    applications: readonly Application[],
    entered: EnteredRequest,
  ): WaitingSteps<EnteredRequest> {
    const services = [...new Set(applications.map(({ service }) => service))];
    let limited = entered;
    try {
      for (let from = 0; from < services.length; from += SERVICES_PER_STEP) {
        if (from > 0) yield;
        const some = services.slice(from, from + SERVICES_PER_STEP);
        limited = yield* waitFor(options.gate.enterServices(some, limited));
      }
    } catch (error) {
      if (error instanceof ApiError) admit.refuse(error.code, spanCountOf(otlp));
      throw error;
    }
    return limited;
  }

  function offer(
    { applications, refusedSpans }: MappedRequest,
    body: Buffer,
    tenant: string,
  ): MaybePromise<unknown> {
    const receivedAtMs = clock.now();
    const spans: Span[] = [];
    const parts: BatchPart[] = [];
    for (const { application, spans: applicationSpans } of applications) {
      const { service, env, version } = application;
      const context = {
        tenant,
        service: truncateCodePoints(service, MAX_CONTEXT_LENGTH),
        env: truncateCodePoints(env, MAX_CONTEXT_LENGTH),
        version: version === undefined ? undefined : truncateCodePoints(version, MAX_CONTEXT_LENGTH),
        receivedAtMs,
      };
      parts.push({ from: spans.length, context });
      for (const span of applicationSpans) spans.push(span);
    }
    // Counts after all steps that may fail, so that every received span is accepted or rejected.
    if (refusedSpans > 0) admit.refuse("invalid_span", refusedSpans);
    const [first, ...others] = parts;
    if (first === undefined) return undefined;
    return admit.offer({
      parts: [first, ...others],
      batchId: undefined,
      spanCount: spans.length,
      body,
      spans,
      generatedSpanIds: undefined,
    });
  }

  return { handle, formatError: formatOtlpError };
}

/**
 * Serializes the spans as a body of `POST /v1/telemetry`. Returns undefined if it has more than `maxBytes`. Serializes
 * one span at a time: each has the attributes of its resource, and a string cannot hold a megabyte a thousand times.
 */
function* writeSpans({ applications }: MappedRequest, maxBytes: number): Steps<Buffer | undefined> {
  const written: string[] = [];
  let characters = 0;
  let charactersOfStep = 0;
  for (const { spans } of applications) {
    for (const span of spans) {
      if (charactersOfStep > CHARACTERS_PER_STEP) {
        yield;
        charactersOfStep = 0;
      }
      const text = hasManyEvents(span) ? yield* jsonInSteps(span) : JSON.stringify(span);
      characters += text.length;
      charactersOfStep += text.length;
      if (characters > maxBytes) return undefined;
      written.push(text);
    }
  }
  const body = Buffer.from(`{"spans":[${written.join(",")}]}`);
  return body.byteLength > maxBytes ? undefined : body;
}

function tooManyBytes(maxBytes: number): ApiError {
  const message =
    `The spans have more than ${maxBytes} bytes as JSON (four times limits.max_body_bytes), because each contains the ` +
    "attributes of its resource. Send fewer spans at a time.";
  return new ApiError("batch_too_large", message, { max_bytes: maxBytes });
}

/** The names of the parts that a bound limits. */
const PARTS: Readonly<Record<ExceededBound, string>> = {
  depth: "nested levels",
  containers: "objects and arrays",
  keys: "rare keys",
  strings: "rare short strings",
  values: "keys and values",
};

function tooManyParts(exceeded: ExceededBound): ApiError {
  return new ApiError(
    "batch_too_large",
    `The spans have too many ${PARTS[exceeded]} as JSON, because each root span contains the attributes of its resource. ` +
      "Send fewer spans at a time.",
  );
}

function spanCountOf(otlp: OtlpTraceRequest): number {
  return otlp.reduce(
    (total, { scopes }) => total + scopes.reduce((sum, { spans }) => sum + spans.length, 0),
    0,
  );
}
