import type { Attributes, Span } from "@obspan/sdk/wire";
import { asText } from "./mapping/attribute-set.js";
import { isOwnSpan } from "./own-span-from-otlp.js";
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
  const mapped: { span: Span; application: number; isOwn: boolean }[] = [];
  let receivedSpans = 0;
  for (const [application, { resource, scopes }] of request.entries()) {
    const resourceAttributes = restOfResource(resource);
    for (const { scope, spans } of scopes) {
      receivedSpans += spans.length;
      for (const span of spans) {
        if (!isUsable(span)) continue;
        const isOwn = isOwnSpan(span);
        mapped.push({ span: spanFromOtlp(span, scope, resourceAttributes), application, isOwn });
      }
    }
  }
  const settled = settleForeign(mapped, memory);
  const spansOf = new Map<number, Span[]>();
  for (const [position, span] of settled.entries()) {
    const application = mapped[position]?.application ?? 0;
    const spans = spansOf.get(application);
    if (spans === undefined) spansOf.set(application, [span]);
    else spans.push(span);
  }
  return {
    applications: [...spansOf].flatMap(([index, spans]) => {
      const application = applications[index];
      return application === undefined ? [] : { application, spans };
    }),
    receivedSpans,
    refusedSpans: receivedSpans - mapped.length,
  };
}

function isUsable({ traceId, spanId }: OtlpSpan): boolean {
  return traceId !== "" && spanId !== "";
}

/** What Obspan exported has been settled before. */
function settleForeign(
  mapped: readonly { span: Span; isOwn: boolean }[],
  memory: LinkMemory | undefined,
): Span[] {
  const settled = settleLinks(
    mapped.flatMap(({ span, isOwn }) => (isOwn ? [] : span)),
    memory,
  );
  let next = 0;
  return mapped.map(({ span, isOwn }) => (isOwn ? span : (settled[next++] ?? span)));
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
  const entries = [...resource].filter(([key]) => !MAPPED.has(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const MAPPED: ReadonlySet<string> = new Set([SERVICE, ENVIRONMENT, OLDER_ENVIRONMENT, VERSION, TENANT]);
