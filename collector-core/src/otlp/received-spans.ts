import type { JsonValue } from "@obspan/sdk/wire";

/** Attributes as they came over OTLP, each value one that JSON can carry; of two with one key the last. */
export type OtlpAttributes = Map<string, JsonValue>;

/** Something that happened at one moment of a span. */
export interface OtlpEvent {
  readonly name: string;
  /** Unix epoch; 0 where it is not known. */
  readonly timeUnixNano: bigint;
  readonly attributes: OtlpAttributes;
}

/** A span of another trace, or of this one, that has to do with the span. */
export interface OtlpLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly attributes: OtlpAttributes;
}

/** A span of an OTLP request, the same whether it came in protobuf or in JSON. */
export interface OtlpSpan {
  /** Lowercase hex; `""` where it is none. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** The number of the protocol: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
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

/** The library that made spans. */
export interface OtlpScope {
  readonly name: string;
  readonly version: string;
}

/** The spans of one library in one application. */
export interface OtlpScopeSpans {
  readonly scope: OtlpScope;
  readonly spans: readonly OtlpSpan[];
}

/** What one application sent. */
export interface OtlpResourceSpans {
  readonly resource: OtlpAttributes;
  readonly scopes: readonly OtlpScopeSpans[];
}

/** The body of `POST /v1/traces`: an `ExportTraceServiceRequest`. */
export type OtlpTraceRequest = readonly OtlpResourceSpans[];

/** What a span is called whose name is empty: OTLP allows that, and means that it is not known. */
export const NO_NAME = "unknown";

/** Deepest nesting of a value: with the span around it as deep as a batch may be (contract 1). */
export const MAX_VALUE_DEPTH = 28;

/** A value is nested deeper than {@link MAX_VALUE_DEPTH}. */
export class TooDeepValue extends Error {
  override readonly name = "TooDeepValue";
}
