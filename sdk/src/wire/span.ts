/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Attributes of a span. Keys are free; `KNOWN_ATTRIBUTES` lists the keys that the collector knows. */
export type Attributes = Record<string, JsonValue>;

/** The kinds of span that the viewer knows. Any other string is stored unchanged (contract 1). */
export type KnownSpanType =
  | "llm"
  | "tool"
  | "agent"
  | "task"
  | "embedding"
  | "retrieval"
  | "evaluation"
  | "span";

/** The outcomes that the collector knows. Any other string is stored unchanged (contract 1). */
export type KnownSpanStatus = "OK" | "ERROR" | "RUNNING";

/** An RFC 3339 time, or Unix epoch milliseconds (fractions allowed). */
export type Timestamp = string | number;

/** Something that happened at one time of a span. A span keeps at most 128 events. */
export interface SpanEvent {
  name: string;
  time?: Timestamp;
  attributes?: Attributes;
}

/** A span in the body of `POST /v1/telemetry` (spec 2.2, contract 1). */
export interface Span {
  /** Name of the traced operation. At most 256 characters are stored. */
  name: string;
  /** The trace that the span belongs to; 1 to 128 characters. */
  trace_id: string;
  /** 1 to 64 characters. The collector generates an id if it is absent. A span with the same ids replaces the earlier one. */
  span_id?: string;
  /** The span that this one ran inside. */
  parent_span_id?: string | null;
  /** Default: `span`. */
  span_type?: KnownSpanType | (string & {});
  /** Default: `OK`. `RUNNING` means that the span has not ended. */
  status?: KnownSpanStatus | (string & {});
  /** Default: `end_time - duration_ms`; without `end_time`, the time of arrival minus the duration. */
  start_time?: Timestamp;
  /** Default: `start_time + duration_ms`. */
  end_time?: Timestamp;
  /** 0 to 1e9 milliseconds, fractions allowed. Optional if both times are present. */
  duration_ms?: number;
  /** Default: `{}`. */
  attributes?: Attributes;
  events?: SpanEvent[];
  /** True if a child recorded the span's error: it is shown, but not counted again. */
  error_propagated?: boolean;
  /** The cost in USD that a collector computed, on a span that it sent on. The cost of an app is the attribute `cost_usd`. */
  computed_cost_usd?: number;
}

/** The body of `POST /v1/telemetry` (spec 2.1). */
export interface SpanBatch {
  /** Default: `unknown`. */
  service?: string;
  /** Default: `development`. */
  env?: string;
  /** Version of the application, not of the interface. */
  version?: string;
  /** At most 64 characters. A retry repeats the id, so that the collector counts the batch once. */
  batch_id?: string;
  spans: Span[];
}
