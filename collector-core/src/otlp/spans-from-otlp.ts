import type { Attributes, JsonValue, Span } from "@obspan/sdk/wire";
import { asText } from "./mapping/attribute-set.js";
import { runAtOnce, type Steps } from "../runtime/steps.js";
import { TooManyMessages } from "./message-budget.js";
import { FOREIGN_SPAN_LIMITS, JsonTexts, OWN_SPAN_LIMITS } from "./json-texts.js";
import { isOwnSpan, ownSpanFromOtlp } from "./own-span-from-otlp.js";
import type { OtlpAttributes, OtlpResourceSpans, OtlpSpan, OtlpTraceRequest } from "./received-spans.js";
import { resolveLinks, type LinkMemory } from "./request-links.js";
import { readMarks, type SpanMarks } from "./span-marks.js";
import { hasManyEvents, spanFromOtlp, spanFromOtlpInSteps } from "./span-from-otlp.js";
import { MAX_PARTS_OF_SPAN, partsOf } from "./span-parts.js";

/** The sending application, with the fields of a batch of `POST /v1/telemetry`. */
export interface Application {
  readonly service: string;
  readonly env: string;
  readonly version: string | undefined;
  /** Tenant in an export of Obspan; undefined in other requests. */
  readonly tenant: string | undefined;
}

/** The spans of one application in a request. */
export interface ApplicationSpans {
  readonly application: Application;
  readonly spans: readonly Span[];
}

/** A mapped OTLP request. */
export interface MappedRequest {
  /** In the order of the request, without applications that have no spans. */
  readonly applications: readonly ApplicationSpans[];
  /** Spans in the request, including rejected ones. */
  readonly receivedSpans: number;
  /** Spans without a valid trace id or span id. */
  readonly refusedSpans: number;
  /** Marks of spans that Obspan exported to a file. */
  readonly marks: ReadonlyMap<Span, SpanMarks>;
}

/** The applications of a request. */
export function* applicationsOf(request: OtlpTraceRequest): Steps<Application[]> {
  const applications: Application[] = [];
  for (const resourceSpans of request) {
    if (applications.length % PARTS_PER_STEP === PARTS_PER_STEP - 1) yield;
    applications.push(readApplication(resourceSpans));
  }
  return applications;
}

/**
 * Maps a request (contract 6): first each span, then usage and errors across spans.
 *
 * @param applications - the applications of the request.
 * @param memory - links of earlier requests. Default: none.
 */
export function spansFromOtlp(
  request: OtlpTraceRequest,
  applications: readonly Application[] = runAtOnce(applicationsOf(request)),
  memory?: LinkMemory,
): MappedRequest {
  return runAtOnce(mapInSteps(request, applications, memory));
}

/** Spans per step, unless they are large: some tenths of a millisecond. */
const SPANS_PER_STEP = 32;
/** Resources and scopes per step. They may have no spans. */
const PARTS_PER_STEP = 1000;
/** Cost of parsed JSON texts after which a step ends, see `JsonTexts.cost`. */
const TEXT_COST_PER_STEP = 2000;

/** Attributes, events and links of spans per step: some milliseconds. A span with more is a step of its own. */
const SPAN_PARTS_PER_STEP = 1000;

/**
 * Like {@link spansFromOtlp}, in steps of several spans.
 *
 * @throws `TooManyMessages` if a span has too many parts to be mapped at once.
 */
export function* mapInSteps(
  request: OtlpTraceRequest,
  applications: readonly Application[],
  memory?: LinkMemory,
): Steps<MappedRequest> {
  /** Spans that Obspan did not export. The links of exported spans are already resolved. */
  const foreign: Span[] = [];
  const own = new Set<Span>();
  const marks = new Map<Span, SpanMarks>();
  let receivedSpans = 0;
  let refusedSpans = 0;
  const texts = new JsonTexts();
  const mappedOf: Span[][] = [];
  let spansOfStep = 0;
  let spanPartsOfStep = 0;
  let costAtStep = texts.cost;
  let partsOfStep = 0;
  for (const { resource, scopes } of request) {
    if ((partsOfStep += 1 + scopes.length) > PARTS_PER_STEP) {
      yield;
      partsOfStep = 0;
    }
    const resourceAttributes = unmappedAttributes(resource);
    const mapped: Span[] = [];
    for (const { scope, spans } of scopes) {
      receivedSpans += spans.length;
      for (const span of spans) {
        const parts = partsOf(span);
        if (
          ++spansOfStep > SPANS_PER_STEP ||
          (spanPartsOfStep += parts) > SPAN_PARTS_PER_STEP ||
          texts.cost - costAtStep > TEXT_COST_PER_STEP
        ) {
          yield;
          spansOfStep = 1;
          spanPartsOfStep = parts;
          costAtStep = texts.cost;
        }
        if (parts > MAX_PARTS_OF_SPAN)
          throw new TooManyMessages("attributes, events and links in a span", MAX_PARTS_OF_SPAN);
        if (!isUsable(span)) {
          refusedSpans++;
        } else if (isOwnSpan(span)) {
          texts.startSpan(OWN_SPAN_LIMITS);
          const exported = ownSpanFromOtlp(span, texts);
          own.add(exported);
          const ofSpan = readMarks(span, texts);
          if (ofSpan !== undefined) marks.set(exported, ofSpan);
          mapped.push(exported);
        } else {
          texts.startSpan(FOREIGN_SPAN_LIMITS);
          const foreignSpan = hasManyEvents(span)
            ? yield* spanFromOtlpInSteps(span, scope, texts, resourceAttributes)
            : spanFromOtlp(span, scope, texts, resourceAttributes);
          foreign.push(foreignSpan);
          mapped.push(foreignSpan);
        }
      }
    }
    mappedOf.push(mapped);
  }
  const resolve = yield* resolveLinks(foreign, memory);
  const ofApplications: ApplicationSpans[] = [];
  for (const [index, application] of applications.entries()) {
    if (index % PARTS_PER_STEP === PARTS_PER_STEP - 1) yield;
    const spans: Span[] = [];
    for (const span of mappedOf[index] ?? []) {
      if (spans.length % PARTS_PER_STEP === PARTS_PER_STEP - 1) yield;
      spans.push(own.has(span) ? span : resolve(span));
    }
    if (spans.length > 0) ofApplications.push({ application, spans });
  }
  return { applications: ofApplications, receivedSpans, refusedSpans, marks };
}

function isUsable({ traceId, spanId }: OtlpSpan): boolean {
  return traceId !== "" && spanId !== "";
}

const SERVICE = "service.name";
const ENVIRONMENT = "deployment.environment.name";
const OLDER_ENVIRONMENT = "deployment.environment";
const VERSION = "service.version";
const TENANT = "obspan.tenant";

function readApplication({ resource, scopes }: OtlpResourceSpans): Application {
  const text = (key: string): string | undefined => asText(resource.get(key));
  // Langfuse sets it on every span if the resource lacks it.
  const ofSpan = (key: string): string | undefined => asText(scopes[0]?.spans[0]?.attributes.get(key));
  return {
    service: text(SERVICE) ?? "unknown",
    env: text(ENVIRONMENT) ?? text(OLDER_ENVIRONMENT) ?? ofSpan("langfuse.environment") ?? "development",
    version: text(VERSION) ?? ofSpan("langfuse.release"),
    tenant: text(TENANT),
  };
}

/** Resource attributes that are not mapped; undefined if there are none. */
function unmappedAttributes(resource: OtlpAttributes): Attributes | undefined {
  let rest: Map<string, JsonValue> | undefined;
  for (const [key, value] of resource) if (!MAPPED.has(key)) (rest ??= new Map()).set(key, value);
  return rest && Object.fromEntries(rest);
}

const MAPPED: ReadonlySet<string> = new Set([SERVICE, ENVIRONMENT, OLDER_ENVIRONMENT, VERSION, TENANT]);
