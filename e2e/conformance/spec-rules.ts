/**
 * What the specification of the service asks for, part by part, in its order. Each has at least one test of its name in
 * this folder, which `coverage.test.ts` sees to.
 */
export const SPEC_RULES = {
  "1 step 1": "rate limiting, then validation, then enqueue; the answer is 202",
  "1 step 2": "metrics are derived from every span",
  "1 step 3": "trace sampling decides whether a trace is stored or exported",
  "1 step 4": "redaction runs after sampling and before store, export and evaluation",
  "1 step 5": "store, export, exemplars and evaluation are of sampled spans only",
  "2.1": "a span batch: service, env, version and spans",
  "2.2": "a span, and the attributes whose meaning is known",
  "2.2 rule 1": "at most limits.max_span_attributes attributes are kept; the excess goes silently",
  "2.3": "a trace is the set of spans that share a trace_id",
  "2.5": "the client's options: arguments over environment over defaults",
  "2.6": "the server's options: environment over YAML file over defaults",
  "3.1": "the client is configured once",
  "3.2": "the levels of the ingestion queue",
  "3.3": "readiness follows the hard limit",
  "4.1": "POST /v1/telemetry",
  "4.2": "GET /metrics",
  "4.3": "GET /v1/traces",
  "4.4": "GET /v1/traces/{trace_id}",
  "4.5": "GET /health",
  "4.6": "GET /ready",
  "4.7": "the metrics and their labels",
  "4.8": "recording rules in three groups, outside the server",
  "4.9 rule 1": "each trace is kept with probability sampling.rate; metrics are never sampled",
  "4.9 rule 2":
    "the store evicts the oldest traces, the oldest spans of a trace, and what is older than its TTL",
  "4.9 rule 3": "export in batches of batch_size, a partial one after flush_interval",
  "4.9 rule 4":
    "redaction: truncation, built-in patterns, custom patterns in order; what happens when it fails",
  "4.9 rule 6":
    "SIGTERM: no new requests, the queue is drained, the exporter flushed, within the grace period",
  "4.9 rule 7": "rate limiting acts before spans enter the queue",
  "4.10 rule 1": "the client sends batches of batch_size every flush_interval, with X-API-Key",
  "4.10 rule 2": "the client retries 5xx, 429 and connection errors, doubling its wait",
  "4.10 rule 3": "the client waits at most shutdown_timeout at its end",
  "5": "keys and tenants",
  "7": "which errors answer what",
  "8 rule 1": "more than 20 histogram buckets are refused",
  "8 rule 2": "buckets that are not positive or not sorted ascending are refused",
  "8 rule 3": "a queue size that is not positive or above 1,000,000 is refused",
  "8 rule 4": "max traces that is not positive or above 500,000 is refused",
  "8 rule 5": "a label value length that is not positive or above 1,024 is refused",
  "8 rule 6": "a cardinality cap that is not positive is refused",
  "8 rule 7": "a sampling rate outside 0.0 to 1.0 is refused",
  "8 rule 8": "a soft limit that is not less than the hard limit is refused",
  "8 rule 9": "a rate limit that is not positive is refused",
  "8 rule 10": "max spans per trace that is not positive is refused",
  "8 rule 11": "a negative TTL is refused",
  "8 rule 12": "a negative grace period is refused",
  "8 rule 13": "a logging level that is not a standard name is refused",
  "8 rule 14": "a default SLO error rate outside (0.0, 1.0] is refused",
  "8 rule 15": "a negative default cost budget is refused",
  "8 rule 16": "an agent's SLO error rate outside (0.0, 1.0] is refused",
  "9": "which paths carry the version",
} as const;

/** A rule's place in the specification, such as `4.9 rule 2`. */
export type SpecRule = keyof typeof SPEC_RULES;
