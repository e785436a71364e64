import type { RefusedRequest, Warning } from "@obspan/collector-core/api-schema";

/** Remedies for refused requests, by error code. */
const BY_CODE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    invalid_json: "Send JSON; the SDK and every OTLP exporter do",
    invalid_payload: "Send an object with service, env and spans",
    missing_spans: "Send the spans of a batch under “spans”",
    invalid_span: "Give every span a name and a trace_id",
    invalid_http: "Send OTLP over HTTP: this port speaks no gRPC and no TLS",
    invalid_tenant: "Send the tenant header once, at most 128 characters",
    unauthorized: "Send one of auth.api_keys as X-API-Key",
    host_not_allowed: "List the name in server.allowed_hosts",
    origin_not_allowed: "List the page's origin in server.allowed_origins",
    not_found: "Send spans to /v1/telemetry, OTLP to /v1/traces",
    method_not_allowed: "Send spans by POST",
    body_too_large: "Send smaller batches, or raise limits.max_body_bytes",
    batch_too_large: "Send smaller batches, or raise limits.max_queue_size",
    unsupported_media_type: "Send application/json; OTLP also as x-protobuf",
    rate_limited: "Send larger batches, or raise rate_limit.*",
    queue_full: "Nothing, if senders try again; else raise limits.max_queue_size",
    queue_unavailable: "Start the Redis of queue.url; senders try again",
    shutting_down: "Nothing: senders try again",
    paused: "Resume collecting in the app's tray or menu",
  }),
);

/** Remedies for warnings, by the component that logged them. */
const BY_SOURCE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    config: "Correct the file or the variable, and start again",
    queue: "Raise limits.max_queue_size, or start more collectors",
    redis: "Check the Redis of queue.url",
    export: "Check the receiver; spans wait in the queue",
    evaluation: "Check the judge",
    store: "Check trace_store.path and the free space of the disk",
  }),
);

/** Short advice for an event; a dash if there is none. */
export function remedyOf(event: RefusedRequest | Warning): string {
  return ("code" in event ? BY_CODE.get(event.code) : BY_SOURCE.get(event.logger)) ?? "–";
}
