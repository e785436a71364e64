/** What to do about a refused request, by the code of its error. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ["unauthorized", "Set OBS_API_KEY, for OpenTelemetry OTEL_EXPORTER_OTLP_HEADERS=x-api-key=<key>."],
  ["host_not_allowed", "Add the name to server.allowed_hosts."],
  ["origin_not_allowed", "Add the page to server.allowed_origins."],
  [
    "not_found",
    "Check the path: /v1/traces is added once. For metrics and logs set OTEL_METRICS_EXPORTER=none, OTEL_LOGS_EXPORTER=none.",
  ],
  ["unsupported_media_type", "Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, or send application/json."],
  ["body_too_large", "Send smaller batches, or raise limits.max_body_bytes."],
  ["batch_too_large", "Send smaller batches, or raise limits.max_queue_size."],
  ["queue_full", "The sender retries. Raise limits.max_queue_size if it stays."],
  [
    "queue_unavailable",
    "Start the Redis of OBS_SERVER_QUEUE_URL; the log of the collector says what it answers.",
  ],
  [
    "dead_letter",
    "redis-cli XRANGE obspan:dead - + shows the batches. See docs/guide/several-collectors.md.",
  ],
  ["rate_limited", "Raise rate_limit.per_ip_rpm or rate_limit.per_service_rpm."],
  ["invalid_tenant", "Send one X-Tenant-ID of at most 128 characters."],
  ["paused", "Resume collecting in the desktop app."],
]);
const OTHER_REMEDY = "The message names the field. See docs/reference/errors.md.";

/** What to do about a refused request, by the code of its error or the reason of a metric. */
export function remedyFor(code: string): string {
  return REMEDIES.get(code) ?? OTHER_REMEDY;
}
