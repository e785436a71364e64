/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Free key/value attributes of a span; the known keys are listed in `KNOWN_ATTRIBUTES`. */
export type Attributes = Record<string, JsonValue>;

/** The kinds of span that the viewer knows; any other string is kept (contract 1). */
export type KnownSpanType =
  "llm" | "tool" | "agent" | "task" | "embedding" | "retrieval" | "evaluation" | "span";

/** The outcomes that the collector knows; any other string is kept (contract 1). */
export type KnownSpanStatus = "OK" | "ERROR" | "RUNNING";

/** An RFC 3339 time, or Unix epoch milliseconds (fractions allowed). */
export type Timestamp = string | number;

/** Something that happened at one moment of a span; at most 128 are kept. */
export interface SpanEvent {
  name: string;
  time?: Timestamp;
  attributes?: Attributes;
}

/** A span as it travels in the body of `POST /v1/telemetry` (spec 2.2, contract 1). */
export interface Span {
  /** Name of the traced operation; 256 characters are kept. */
  name: string;
  /** The trace that the span belongs to; 1 to 128 characters. */
  trace_id: string;
  /** 1 to 64 characters; the collector makes one when absent. The same trace_id and span_id again replaces the span. */
  span_id?: string;
  /** The span that this one ran inside. */
  parent_span_id?: string | null;
  /** Default `span`. */
  span_type?: KnownSpanType | (string & {});
  /** Default `OK`. `RUNNING` is a span that has started and not ended. */
  status?: KnownSpanStatus | (string & {});
  /** Default: `end_time - duration_ms`, or the time of arrival less the duration. */
  start_time?: Timestamp;
  /** Default: `start_time + duration_ms`. */
  end_time?: Timestamp;
  /** 0 to 1e9 milliseconds, fractions allowed; optional when both times are present. */
  duration_ms?: number;
  /** Default `{}`. */
  attributes?: Attributes;
  events?: SpanEvent[];
  /** True where the span's error came up from a child: shown, not counted again. */
  error_propagated?: boolean;
}

/** The body of `POST /v1/telemetry` (spec 2.1). */
export interface SpanBatch {
  /** Default `unknown`. */
  service?: string;
  /** Default `development`. */
  env?: string;
  /** Version of the application, not of the interface. */
  version?: string;
  /** At most 64 characters. A retry repeats it; the collector counts a batch once. */
  batch_id?: string;
  spans: Span[];
}
