import type { JsonValue } from "@obspan/sdk/wire";

/** Received OTLP attributes with JSON values. The last value of a repeated key wins. */
export type OtlpAttributes = Map<string, JsonValue>;

/** An event of a span. */
export interface OtlpEvent {
  readonly name: string;
  /** Unix epoch; 0 if unknown. */
  readonly timeUnixNano: bigint;
  readonly attributes: OtlpAttributes;
}

/** A link to a related span. */
export interface OtlpLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly attributes: OtlpAttributes;
}

/** A span of an OTLP request, decoded from protobuf or JSON. */
export interface OtlpSpan {
  /** Lowercase hex; `""` if absent or invalid. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** `SpanKind`: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly startUnixNano: bigint;
  readonly endUnixNano: bigint;
  readonly attributes: OtlpAttributes;
  readonly events: readonly OtlpEvent[];
  readonly links: readonly OtlpLink[];
  /** 0 unset, 1 OK, 2 error. */
  readonly statusCode: number;
  readonly statusMessage: string;
}

/** What the meaning of the attributes of a span follows from. */
export type AttributeSource = Pick<
  OtlpSpan,
  "name" | "startUnixNano" | "attributes" | "events" | "statusCode" | "statusMessage"
>;

/** The instrumentation library of spans. */
export interface OtlpScope {
  readonly name: string;
  readonly version: string;
}

/** The spans of one library in one application. */
export interface OtlpScopeSpans {
  readonly scope: OtlpScope;
  readonly spans: readonly OtlpSpan[];
}

/** The spans of one application. */
export interface OtlpResourceSpans {
  readonly resource: OtlpAttributes;
  readonly scopes: readonly OtlpScopeSpans[];
}

/** The body of `POST /v1/traces`: an `ExportTraceServiceRequest`. */
export type OtlpTraceRequest = readonly OtlpResourceSpans[];

/** The name of a span without one. In OTLP an empty name means unknown. */
export const NO_NAME = "unknown";

/** Deepest nesting of a value: with its span, it is as deep as a batch may be (contract 1). */
export const MAX_VALUE_DEPTH = 28;

/** A value is nested deeper than {@link MAX_VALUE_DEPTH}. */
export class TooDeepValue extends Error {
  override readonly name = "TooDeepValue";
}
