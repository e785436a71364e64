/**
 * Every error of the collector with its code, HTTP status and meaning (contract 2). The reference page and the OpenAPI
 * document are generated from this table.
 */
export const ERROR_CATALOGUE = {
  invalid_json: { status: 400, meaning: "The body is not valid JSON." },
  invalid_payload: {
    status: 400,
    meaning: "The body is not an object, or one of its own fields has a wrong type.",
  },
  missing_spans: { status: 400, meaning: "The body has no `spans`." },
  invalid_spans: { status: 400, meaning: "`spans` is not an array." },
  invalid_span: {
    status: 400,
    meaning: "A span is not an object, or its `name` or `trace_id` is missing or has a wrong type or length.",
  },
  invalid_encoding: {
    status: 400,
    meaning: "The body is not valid UTF-8, or does not match its Content-Encoding.",
  },
  too_deep: { status: 400, meaning: "The body is nested deeper than 32 levels." },
  invalid_limit: { status: 400, meaning: "`limit` is not a whole number from 1 to 1000." },
  invalid_query: { status: 400, meaning: "A query parameter is unknown or has an invalid value." },
  invalid_http: { status: 400, meaning: "The request is not valid HTTP." },
  invalid_tenant: {
    status: 400,
    meaning: "The tenant header is repeated, too long or contains control characters.",
  },
  invalid_config: {
    status: 400,
    meaning: "The configuration would be invalid; `details` has each problem by key. Nothing was written.",
  },
  unauthorized: {
    status: 401,
    meaning: "`auth.api_keys` are set, and the request has none of them. Set `OBS_API_KEY` in the app.",
  },
  host_not_allowed: { status: 403, meaning: "The Host header is not an allowed host." },
  origin_not_allowed: { status: 403, meaning: "The request comes from a web page of another origin." },
  loopback_only: {
    status: 403,
    meaning: "Without `auth.api_keys`, only clients on the machine of the collector may do this.",
  },
  config_not_writable: {
    status: 403,
    meaning: "There is no configuration file (`OBS_SERVER_CONFIG`), or it cannot be read or written.",
  },
  not_found: { status: 404, meaning: "The path does not exist." },
  trace_not_found: { status: 404, meaning: "The trace, or the span in it, is not in the trace store." },
  session_not_found: { status: 404, meaning: "No trace in the trace store is of the session." },
  view_not_found: { status: 404, meaning: "There is no saved view with this id." },
  trace_store_disabled: { status: 404, meaning: "The trace store is off (`trace_store.enabled`)." },
  trace_store_in_memory: {
    status: 404,
    meaning:
      "There is no trace file: traces are in memory or in ClickHouse (`trace_store.url`), or the file (`trace_store.path`) could not be opened; the log says why.",
  },
  method_not_allowed: { status: 405, meaning: "The path does not support the method; see `Allow`." },
  request_timeout: {
    status: 408,
    meaning:
      "The request took longer than 15 seconds to arrive, or an import sent less than 16 KiB in 15 seconds, or less than " +
      "64 KiB a second while other imports waited.",
  },
  ambiguous_trace: {
    status: 409,
    meaning:
      "Several tenants have a trace with this id, and the request names no tenant; `details.tenants` has the first 20.",
  },
  ambiguous_session: {
    status: 409,
    meaning:
      "Several tenants have a session with this id, and the request names no tenant; `details.tenants` has the first 20.",
  },
  several_collectors: {
    status: 409,
    meaning:
      "With `queue.url` or `trace_store.url`, each collector has a configuration file of its own: change it where the collectors are deployed.",
  },
  store_busy: {
    status: 409,
    meaning: "Another task on the file of the trace store is under way; `details.task` names it.",
  },
  precondition_failed: {
    status: 412,
    meaning: "The file of the page has changed, as `If-Match` or `If-Unmodified-Since` asks.",
  },
  body_too_large: { status: 413, meaning: "The body is larger than `limits.max_body_bytes`." },
  batch_too_large: {
    status: 413,
    meaning:
      "The batch has more spans or bytes than the queue can hold, or the body has more objects, arrays, values, rare keys, " +
      "rare short strings or messages than the limit.",
  },
  unsupported_media_type: { status: 415, meaning: "The path does not support the Content-Type." },
  unsupported_encoding: {
    status: 415,
    meaning: "The Content-Encoding is not gzip, deflate, br or identity.",
  },
  range_not_satisfiable: {
    status: 416,
    meaning: "The file of the page has no byte of the requested Range; see `Content-Range`.",
  },
  expectation_failed: { status: 417, meaning: "The Expect header is not `100-continue`." },
  headers_too_large: { status: 431, meaning: "The request headers are larger than 16 KiB." },
  rate_limited: {
    status: 429,
    meaning:
      "The client exceeds `rate_limit.per_ip_rpm` or `rate_limit.per_service_rpm`, or sent too many wrong keys from one address; see `Retry-After`.",
  },
  queue_full: { status: 429, meaning: "The ingestion queue is at its hard limit; see `Retry-After`." },
  internal_error: { status: 500, meaning: "An unexpected error in the collector; see its log." },
  overloaded: {
    status: 503,
    meaning:
      "Large requests and responses in flight use all of `limits.max_in_flight_bytes`, one connection has too many requests " +
      "in flight, or eight imports are running; see `Retry-After`.",
  },
  queue_unavailable: {
    status: 503,
    meaning: "The Redis of `queue.url` does not answer; the log says why. See `Retry-After`.",
  },
  shutting_down: { status: 503, meaning: "The collector is stopping." },
  paused: {
    status: 503,
    meaning: "The user has paused collecting in the desktop app; see `Retry-After`.",
  },
  trace_store_unavailable: {
    status: 503,
    meaning:
      "The trace store does not answer, or not within 15 seconds; the log of the collector says why. See `Retry-After`.",
  },
  views_not_writable: {
    status: 503,
    meaning:
      "The file of the saved views cannot be written, such as on a full disk; `details.system` has the cause. Nothing was changed.",
  },
  evaluation_unavailable: { status: 503, meaning: "Evaluation is off, or no judge is configured." },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** A code of {@link ERROR_CATALOGUE}. */
export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Machine-readable facts of an error: an index, a field, a limit. */
export type ErrorDetails = Record<string, string | number | boolean | readonly string[]>;

/** The shape of every error body (contract 2). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details: ErrorDetails };
}

/** An error response. Its message says what is wrong, with the value and the limit. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    /** Headers of the response, such as `Retry-After` and `Allow`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = ERROR_CATALOGUE[code].status;
  }

  /** The response body. */
  toBody(): ErrorBody {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

/** The response to an unexpected error. It has no details; the log has. */
export function internalError(): ApiError {
  return new ApiError("internal_error", "Something in the collector went wrong; its log says what.");
}

/** @param problem - the name of the parameter and what it must be, without a full stop. */
export function invalidQuery(problem: string, details: ErrorDetails = {}): ApiError {
  return new ApiError("invalid_query", `Invalid query: ${problem}.`, details);
}

/** Returns a value of a request, shortened for a message. */
export function quoteValue(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 64)) : String(value).slice(0, 64);
}
