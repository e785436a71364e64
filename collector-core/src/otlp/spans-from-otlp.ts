import type { Attributes, JsonValue, Span } from "@obspan/sdk/wire";
import { asText } from "./mapping/attribute-set.js";
import { runAtOnce, type Steps } from "../runtime/steps.js";
import { FOREIGN_SPAN_LIMITS, JsonTexts, OWN_SPAN_LIMITS } from "./json-texts.js";
import { isOwnSpan, ownSpanFromOtlp } from "./own-span-from-otlp.js";
import type { OtlpAttributes, OtlpResourceSpans, OtlpSpan, OtlpTraceRequest } from "./received-spans.js";
import { settleLinks, type LinkMemory } from "./request-links.js";
import { spanFromOtlp } from "./span-from-otlp.js";

/** The application that sent spans, as a batch of `POST /v1/telemetry` names it. */
export interface Application {
  readonly service: string;
  readonly env: string;
  readonly version: string | undefined;
  /** The tenant that an export of Obspan's names; undefined in all others. */
  readonly tenant: string | undefined;
}

/** The spans of one application in a request. */
export interface ApplicationSpans {
  readonly application: Application;
  readonly spans: readonly Span[];
}

/** An OTLP request as spans of ours. */
export interface MappedRequest {
  /** In the order of the request; those without a span are left out. */
  readonly applications: readonly ApplicationSpans[];
  /** Spans in the request, refused ones included. */
  readonly receivedSpans: number;
  /** Spans without a trace id or a span id that can be used: they belong nowhere. */
  readonly refusedSpans: number;
}

/** The applications of a request by what they call themselves. */
export function applicationsOf(request: OtlpTraceRequest): Application[] {
  return request.map(readApplication);
}

/**
 * Maps a request (contract 6): each span by itself, then what they say together.
 *
 * @param applications - those of the request.
 * @param memory - of the requests before it. Default: none.
 */
export function spansFromOtlp(
  request: OtlpTraceRequest,
  applications: readonly Application[] = applicationsOf(request),
  memory?: LinkMemory,
): MappedRequest {
  return runAtOnce(mapInSteps(request, applications, memory));
}

/** Spans that are mapped in one step, unless they have much in them: some tenths of a millisecond. */
const SPANS_PER_STEP = 32;
/** Cost of parsed JSON texts after which a step ends, see `JsonTexts.cost`. */
const TEXT_COST_PER_STEP = 2000;

/** The same, some spans in each step. */
export function* mapInSteps(
  request: OtlpTraceRequest,
  applications: readonly Application[],
  memory?: LinkMemory,
): Steps<MappedRequest> {
  /** All that Obspan did not export: what it did has been settled before. */
  const foreign: Span[] = [];
  const own = new Set<Span>();
  let receivedSpans = 0;
  let refusedSpans = 0;
  const texts = new JsonTexts();
  const mappedOf: Span[][] = [];
  let spansOfStep = 0;
  let costAtStep = texts.cost;
  for (const { resource, scopes } of request) {
    const resourceAttributes = restOfResource(resource);
    const mapped: Span[] = [];
    for (const { scope, spans } of scopes) {
      receivedSpans += spans.length;
      for (const span of spans) {
        if (++spansOfStep > SPANS_PER_STEP || texts.cost - costAtStep > TEXT_COST_PER_STEP) {
          yield;
          spansOfStep = 1;
          costAtStep = texts.cost;
        }
        if (!isUsable(span)) {
          refusedSpans++;
        } else if (isOwnSpan(span)) {
          texts.startSpan(OWN_SPAN_LIMITS);
          const exported = ownSpanFromOtlp(span, texts);
          own.add(exported);
          mapped.push(exported);
        } else {
          texts.startSpan(FOREIGN_SPAN_LIMITS);
          const made = spanFromOtlp(span, scope, texts, resourceAttributes);
          foreign.push(made);
          mapped.push(made);
        }
      }
    }
    mappedOf.push(mapped);
  }
  const settle = settleLinks(foreign, memory);
  const ofApplications: ApplicationSpans[] = [];
  for (const [index, application] of applications.entries()) {
    const spans = (mappedOf[index] ?? []).map((span) => (own.has(span) ? span : settle(span)));
    if (spans.length > 0) ofApplications.push({ application, spans });
  }
  return { applications: ofApplications, receivedSpans, refusedSpans };
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
  // Langfuse says it on every span where the resource does not.
  const ofSpan = (key: string): string | undefined => asText(scopes[0]?.spans[0]?.attributes.get(key));
  return {
    service: text(SERVICE) ?? "unknown",
    env: text(ENVIRONMENT) ?? text(OLDER_ENVIRONMENT) ?? ofSpan("langfuse.environment") ?? "development",
    version: text(VERSION) ?? ofSpan("langfuse.release"),
    tenant: text(TENANT),
  };
}

/** What a resource says beside that; undefined where it is nothing. */
function restOfResource(resource: OtlpAttributes): Attributes | undefined {
  let rest: Map<string, JsonValue> | undefined;
  for (const [key, value] of resource) if (!MAPPED.has(key)) (rest ??= new Map()).set(key, value);
  return rest && Object.fromEntries(rest);
}

const MAPPED: ReadonlySet<string> = new Set([SERVICE, ENVIRONMENT, OLDER_ENVIRONMENT, VERSION, TENANT]);
