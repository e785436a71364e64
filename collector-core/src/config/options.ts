import ipaddr from "ipaddr.js";
import { LONGEST_TIMER_MS } from "../runtime/longest-timer.js";
import { costBudgetUsd, objectivesByAgent, sloErrorRate } from "./agent-objectives.js";
import {
  boolean,
  enumeration,
  integer,
  list,
  number,
  text,
  textMap,
  type OptionKind,
} from "./option-kinds.js";
import { JUDGE_PROVIDER_NAMES, JUDGE_PROVIDERS } from "../api-schema/judge-providers.js";
import { customEvaluationTypes, evaluationThresholds } from "./evaluation-kinds.js";
import { customPatterns } from "./custom-patterns-kind.js";
import { baseUrl, origin, redisUrl } from "./url-kind.js";
import { completeOption, option, type Option, type OptionDefinition } from "./option.js";

/** Names of the log levels, least severe first (spec 2.6). */
export const LOG_LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] as const;
/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const MAX_TIMER_SECONDS = Math.trunc(LONGEST_TIMER_MS / 1000);

// spec 8 rules 1 and 2. Two equal bounds make two series of one name, which scrapers reject.
const buckets = list(number({ above: 0 }), {
  items: "numbers above 0",
  minimumCount: 1,
  maximumCount: 20,
  ascending: true,
});
const cardinalityCap = integer({ minimum: 1 }); // spec 8 rule 6
const requestsPerMinute = integer({ minimum: 1, maximum: 10_000_000 }); // spec 8 rule 9
const percentage = number({ minimum: 0, maximum: 100 });

/**
 * Every option of the collector (spec 2.6, contract 5). The type {@link Config}, the parser of environment and YAML
 * file, the JSON Schema, `--help`, the reference page and `GET /v1/config` derive from this table. `cross-key-rules.ts`
 * holds the rules across two keys.
 */
export const OPTIONS = {
  config_file: option({
    kind: text({ rule: "the path of a file" }),
    default: undefined,
    doc: "Path of the YAML file. `--config` overrides the variable.",
    env: "OBS_SERVER_CONFIG",
    envOnly: true,
  }),

  "server.host": option({
    kind: text({
      rule: "a host name or an IP address, without scheme, brackets or path",
      pattern: /^[^\s/[\]]+$/,
    }),
    default: "0.0.0.0",
    doc: "Bind address. `--local`, `npm start` and the desktop app bind 127.0.0.1 if it is unset.",
  }),
  "server.port": option({
    kind: integer({ minimum: 0, maximum: 65_535 }),
    default: 8080,
    doc: "Port for ingestion, scrapes, queries and probes. 0 selects a free port.",
  }),
  "server.allowed_hosts": option({
    kind: list(
      text({ rule: "a host name or an IP address, with or without a port", pattern: /^[\w.:[\]-]+$/ }),
      {
        items: "host names or IP addresses, each with or without a port",
      },
    ),
    default: [],
    doc: "Additional Host headers to accept. Loopback names are always accepted, and IP addresses unless the host is loopback.",
  }),
  "server.allowed_origins": option({
    kind: list(origin(), { items: "origins such as https://example.com, without a path" }),
    default: [],
    doc: "Web origins, other than the collector's own, whose pages may read from the collector.",
  }),

  "server.max_connections_per_address": option({
    kind: integer({ minimum: 1 }),
    default: 250,
    doc: "Connections per client address, out of 1,000 in total. Loopback addresses and `server.trusted_proxies` are exempt.",
  }),

  "server.trusted_proxies": option({
    kind: list(
      text({
        rule: "an IP address, or a range such as 10.0.0.0/8",
        pattern: /^[\da-fA-F.:]+(\/\d{1,3})?$/,
        isValid: (range) => ipaddr.isValid(range) || ipaddr.isValidCIDR(range),
      }),
      { items: "IP addresses, or ranges such as 10.0.0.0/8" },
    ),
    default: [],
    doc: "Proxies whose X-Forwarded-For header is trusted to name the client address, for limits per address.",
  }),

  "auth.api_keys": option({
    kind: list(
      text({ rule: "a key without spaces, commas or control characters", pattern: /^[!-+\--~]+$/ }),
      { items: "keys without spaces, commas or control characters" },
    ),
    default: [],
    doc:
      "If set, /v1/* and /mcp require one of these keys, as X-API-Key or as a bearer token. Unset: no authentication. " +
      "Attempts with wrong keys are limited per address: ten at once, then one every 6 s.",
    secret: true,
  }),
  "auth.protect_metrics": option({
    kind: boolean(),
    default: false,
    doc: "Requires a key for /metrics too, if `auth.api_keys` is set.",
  }),

  "mcp.allow_write": option({
    kind: boolean(),
    default: false,
    doc: "Lets clients of `POST /mcp` run evaluations and annotate traces. Otherwise its tools only read.",
  }),

  "limits.max_traces": option({
    kind: integer({ minimum: 1, maximum: 500_000 }), // spec 8 rule 4
    default: 10_000,
    doc: "Traces kept in the trace store; the oldest are evicted first.",
  }),
  "limits.max_queue_size": option({
    kind: integer({ minimum: 1, maximum: 1_000_000 }), // spec 8 rule 3
    default: 50_000,
    doc: "Capacity of the ingestion queue, in spans.",
  }),
  "limits.max_queue_bytes": option({
    kind: integer({ minimum: 1 }),
    default: 268_435_456,
    doc: "Capacity of the ingestion queue, in bytes, in addition to the limit on spans.",
  }),
  "limits.max_body_bytes": option({
    // A body becomes one JavaScript string. V8 limits a string to about twice this length.
    kind: integer({ minimum: 1, maximum: 268_435_456 }),
    default: 10_485_760,
    doc: "Largest request body, in bytes, before and after decompression.",
  }),
  "limits.max_in_flight_bytes": option({
    kind: integer({ minimum: 1 }),
    default: undefined,
    doc:
      "Memory for work in progress outside the ingestion queue and the trace store, in bytes: large request bodies, large " +
      "responses, the queues of export and evaluation. Unset: the smaller of 512 MiB and a quarter of the heap limit.",
  }),
  "limits.max_span_attributes": option({
    kind: integer({ minimum: 0 }),
    default: 100,
    doc: "Attributes kept per span; further attributes are silently dropped.",
  }),
  "limits.max_label_value_length": option({
    kind: integer({ minimum: 1, maximum: 1024 }), // spec 8 rule 5
    default: 128,
    doc: "Longest value of a metric label, in characters; longer values are truncated.",
  }),
  "limits.max_series": option({
    // Each of the 11 families of span metrics reserves one series for `__other__`.
    kind: integer({ minimum: 12, maximum: 1_000_000 }),
    default: 20_000,
    doc: "Label tuples across all metric families derived from spans; further tuples are counted as `__other__`.",
  }),
  "limits.cardinality_model": cap("model", 50),
  "limits.cardinality_provider": cap("provider", 10),
  "limits.cardinality_tool_name": cap("tool_name", 200),
  "limits.cardinality_agent": cap("agent", 200),
  "limits.cardinality_error_type": cap("error_type", 50),
  "limits.cardinality_service": cap("service", 200),
  "limits.cardinality_env": cap("env", 20),
  "limits.cardinality_span_type": cap("span_type", 20),
  "limits.cardinality_tenant": cap("tenant", 200),

  "histograms.duration_buckets": option({
    kind: buckets,
    default: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
    doc: "Bucket bounds of `obs_duration_seconds`, in seconds.",
  }),
  "histograms.tokens_buckets": option({
    kind: buckets,
    default: [10, 50, 100, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000],
    doc: "Bucket bounds of `obs_tokens_input` and `obs_tokens_output`, in tokens.",
  }),

  "trace_store.enabled": option({
    kind: boolean(),
    default: true,
    doc: "Keeps recent traces and enables the trace query endpoints.",
  }),
  "trace_store.path": option({
    kind: text({ rule: "the path of a directory, or none" }),
    default: undefined,
    doc: "Directory of the trace file, created if it does not exist. Unset, or `none`: traces are kept in memory.",
    isLocal: true,
  }),
  "trace_store.url": option({
    kind: baseUrl(),
    default: undefined,
    doc: "ClickHouse where traces are kept, for collectors that share one `queue.url`, which it needs. Replaces the trace file. Unset: a file, or memory.",
    isLocal: true,
  }),
  "trace_store.user": option({
    kind: text({ rule: "the name of a user of ClickHouse" }),
    default: "default",
    doc: "User of `trace_store.url`.",
    isLocal: true,
  }),
  "trace_store.password": option({
    kind: text({ rule: "a text" }),
    default: undefined,
    doc: "Password of `trace_store.user`.",
    envOnly: true,
    secret: true,
  }),
  "trace_store.database": option({
    kind: text({ rule: "up to 64 letters, digits and _, no digit first", pattern: /^[A-Za-z_]\w{0,63}$/ }),
    default: "obspan",
    doc: "Database of `trace_store.url`, created if it does not exist.",
    isLocal: true,
  }),
  "trace_store.text_index": option({
    kind: enumeration(["ngrams", "none"]),
    default: "ngrams",
    doc: "Index of texts that is made with the tables in `trace_store.url`: `none` halves the work and the disk of ClickHouse, and every search for a text reads all texts. `obspan store migrate` changes it for tables that exist.",
    isLocal: true,
  }),
  "trace_store.disk_max_bytes": option({
    kind: integer({ minimum: 16_777_216 }),
    default: 10_737_418_240,
    doc: "Disk limit of the trace file with its log, in bytes; the oldest traces are evicted first. With `trace_store.url`, only if it is set: the limit of the tables; the oldest day goes first.",
  }),
  "trace_store.disk_min_free_bytes": option({
    kind: integer({ minimum: 0 }),
    default: 1_073_741_824,
    doc: "Free bytes of the file system below which no spans are written to the trace file.",
  }),
  "trace_store.commit_interval_ms": option({
    kind: integer({ minimum: 20, maximum: 5000 }),
    default: 200,
    doc: "Longest wait before spans are written to the trace file, in milliseconds. A killed collector loses what waits.",
  }),
  "trace_store.max_spans_per_trace": option({
    kind: integer({ minimum: 1 }), // spec 8 rule 10
    default: 500,
    doc: "Spans kept per trace; the oldest are dropped first.",
  }),
  "trace_store.ttl_seconds": option({
    kind: integer({ minimum: 0 }), // spec 8 rule 11
    default: 0,
    doc: "Seconds to keep a trace after its last span; 0 = traces never expire.",
  }),
  "trace_store.max_bytes": option({
    kind: integer({ minimum: 1_048_576 }),
    default: 1_073_741_824,
    doc: "Memory limit of the trace store, in bytes; the oldest traces are evicted first. On disk, the traces that receive spans take at most a quarter of it, and usually 32 MiB or less.",
  }),

  "exporter.otlp_endpoint": option({
    kind: baseUrl(),
    default: undefined,
    doc: "Base URL of an OTLP/HTTP receiver; spans are sent to its /v1/traces. Put an API key into `exporter.headers`. Unset: no export.",
    credentials: "exporter.headers",
  }),
  "exporter.batch_size": option({
    kind: integer({ minimum: 1, maximum: 100_000 }),
    default: 200,
    doc: "Spans per export batch.",
  }),
  "exporter.flush_interval": option({
    kind: integer({ minimum: 1, maximum: MAX_TIMER_SECONDS }),
    default: 5,
    doc: "Longest wait before a partial batch is sent, in seconds.",
  }),
  "exporter.headers": option({
    kind: textMap({
      rule: "header names with their texts (in the variable: name=text,name=text)",
      isName: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
      isText: /^[\t -~]*$/,
      textRule: "printable ASCII characters and tabs",
    }),
    default: {},
    doc: "Headers of every export request, such as an API key.",
    secret: true,
  }),
  "exporter.compression": option({
    kind: enumeration(["gzip", "none"]),
    default: "gzip",
    doc: "Compression of export requests.",
  }),
  "exporter.max_queue_size": option({
    kind: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 20_000,
    doc: "Capacity of the export queue, in spans; further spans are dropped and counted.",
  }),
  "exporter.max_retries": option({
    kind: integer({ minimum: 0, maximum: 100 }),
    default: 5,
    doc: "Retries of a batch after a transient failure. The backoff is 1 s, doubling up to 30 s, or the receiver's Retry-After.",
  }),

  "multi_tenant.enabled": option({
    kind: boolean(),
    default: false,
    doc: "Adds a `tenant` label to every metric derived from spans, and separates the traces of tenants.",
  }),
  "multi_tenant.header_name": option({
    kind: text({
      rule: "the name of an HTTP header other than X-API-Key, Authorization, Proxy-Authorization and Cookie",
      // A tenant is a label of /metrics, which needs no key by default.
      pattern: /^(?!(?:x-api-key|(?:proxy-)?authorization|cookie)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i,
    }),
    default: "X-Tenant-ID",
    doc: "Request header that names the tenant. It is a label, not a credential.",
  }),

  "sampling.rate": option({
    kind: number({ minimum: 0, maximum: 1 }), // spec 8 rule 7
    default: 1,
    doc: "Probability that a trace is stored and exported. Metrics count every span.",
  }),

  // cross-key-rules.ts checks spec 8 rule 8, which compares both limits.
  "backpressure.soft_limit_pct": option({
    kind: percentage,
    default: 80,
    doc: "Queue usage, in percent, at which a warning is logged and a gauge is set.",
  }),
  "backpressure.hard_limit_pct": option({
    kind: percentage,
    default: 95,
    doc: "Queue usage, in percent, at which `backpressure.mode` applies. It must exceed the soft limit.",
  }),
  "backpressure.mode": option({
    kind: enumeration(["reject", "drop_oldest"]),
    default: "reject",
    doc: "At the hard limit, `reject` rejects new spans and `drop_oldest` evicts the oldest spans in the queue.",
  }),

  "queue.url": option({
    kind: redisUrl(),
    default: undefined,
    doc: "Redis or Valkey where accepted spans wait until a collector has processed them; several collectors share it. Unset: in memory.",
    envOnly: true,
    secret: true,
  }),
  "queue.replica_id": option({
    kind: text({ rule: "up to 128 letters, digits and . _ : -", pattern: /^[\w.:-]{1,128}$/ }),
    default: undefined,
    doc: "Names this collector among those that share `queue.url`. Default: the host name and a random part.",
  }),
  "queue.dead_letter_ttl_seconds": option({
    kind: integer({ minimum: 1, maximum: 31_536_000 }),
    default: 86_400,
    doc: "How long `queue.url` keeps batches that no collector could finish, at most 10,000 and 64 MiB of them.",
  }),

  "redaction.enabled": option({
    kind: boolean(),
    default: false,
    doc: "Redacts the text of sampled spans before storage, export and evaluation (see the redaction guide).",
  }),
  "redaction.max_text_length": option({
    kind: integer({ minimum: 1 }),
    default: 50_000,
    doc: "Longest text, in characters; a longer one is truncated before redaction.",
  }),
  "redaction.drop_on_failure": option({
    kind: boolean(),
    default: true,
    doc: "Drops a span if its redaction fails; `false` keeps it unredacted.",
  }),
  "redaction.custom_patterns_json": option({
    kind: customPatterns(),
    default: undefined,
    doc: "Patterns that run in order after the built-in ones: regular expressions in RE2 syntax, each with a literal replacement.",
    envOnly: true,
  }),

  "rate_limit.enabled": option({
    kind: boolean(),
    default: false,
    doc: "Limits the rate of ingestion requests.",
  }),
  "rate_limit.per_ip_rpm": option({
    kind: requestsPerMinute,
    default: 600,
    doc: "Requests per minute from one client address; also the burst size.",
  }),
  "rate_limit.per_service_rpm": option({
    kind: requestsPerMinute,
    default: 3000,
    doc: "Requests per minute of one service, as named in the payload; also the burst size.",
  }),

  "pricing.enabled": option({
    kind: boolean(),
    default: true,
    doc: "Computes the cost of model calls that come without one, from their tokens and the price of their model.",
  }),
  "pricing.file": option({
    kind: text({ rule: "the path of a file" }),
    default: undefined,
    doc: "JSON file with prices in USD per million tokens, in the format of the SDK's `pricingSource`; its profile `default` is used. At most 4 MiB and 10,000 models. Unset: the list prices of the package `@obspan/sdk/prices`.",
    isLocal: true,
  }),

  "exemplars.enabled": option({
    kind: boolean(),
    default: false,
    doc: "Adds the trace_id of a stored trace to the duration and token histograms in OpenMetrics scrapes.",
  }),

  "evaluation.enabled": option({
    kind: boolean(),
    default: false,
    doc: "Lets a judge score the spans that request it (see the evaluation guide).",
  }),
  "evaluation.queue_size": option({
    kind: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 10_000,
    doc: "Capacity of the evaluation queue: one entry per type that a span requests.",
  }),
  "evaluation.drop_policy": option({
    kind: enumeration(["drop_new", "drop_oldest"]),
    default: "drop_new",
    doc: "Which evaluation to drop if the queue is full. Dropped evaluations are counted.",
  }),
  "evaluation.worker_concurrency": option({
    kind: integer({ minimum: 1, maximum: 1000 }),
    default: 4,
    doc: "Evaluations that run concurrently.",
  }),
  "evaluation.default_sample_rate": option({
    kind: number({ minimum: 0, maximum: 1 }),
    default: 1,
    doc: "Probability that a span of a sampled trace is evaluated. The attribute `evaluation_sample_rate` overrides it.",
  }),
  "evaluation.default_timeout_ms": option({
    kind: integer({ minimum: 1, maximum: LONGEST_TIMER_MS }),
    default: 30_000,
    doc: "Timeout of one evaluation including retries, in milliseconds. A timeout counts as a failure.",
  }),
  "evaluation.max_evaluation_types": option({
    kind: cardinalityCap,
    default: 20,
    doc: "Distinct values of the metric label `evaluation_type`; any further value is counted as `__other__`.",
  }),
  "evaluation.judge_model": option({
    kind: text({ rule: "the name of a model, of at most 256 characters", maxLength: 256 }),
    default: JUDGE_PROVIDERS.openai.defaultModel,
    doc: "Model of the judge. Unset: the provider's small model; azure and openai-compatible require it.",
  }),
  "evaluation.judge_provider": option({
    kind: enumeration(JUDGE_PROVIDER_NAMES),
    default: "openai",
    doc: "Provider of the judge.",
  }),
  "evaluation.judge_api_key": option({
    kind: text({ rule: "a key without spaces or control characters", pattern: /^[!-~]+$/ }),
    default: undefined,
    doc: "API key of the judge's provider. ollama and openai-compatible need none; bedrock uses the identity of the platform.",
    envOnly: true,
    secret: true,
  }),
  "evaluation.judge_base_url": option({
    kind: baseUrl(),
    default: undefined,
    doc: "Base URL of the judge's API, such as a proxy; azure and openai-compatible require it.",
    envOnly: true,
  }),
  "evaluation.types": option({
    kind: customEvaluationTypes,
    default: {},
    doc: "Custom evaluation types by name: `prompt`, `direction`, `labels`. The variable takes JSON.",
    env: "OBS_SERVER_EVALUATION_TYPES_JSON",
  }),
  "evaluation.thresholds": option({
    kind: evaluationThresholds,
    default: {},
    doc: "Thresholds by type, beyond which a score is shown as bad. Default: 0.7 if higher is better, 0.3 if lower is better.",
  }),

  "shutdown.grace_period_seconds": option({
    kind: number({ minimum: 0, maximum: MAX_TIMER_SECONDS }), // spec 8 rule 12
    default: 30,
    doc: "Longest graceful shutdown, in seconds.",
  }),
  "shutdown.drain_queue": option({
    kind: boolean(),
    default: true,
    doc: "Processes the spans in the queue before exit.",
  }),

  "logging.structured": option({
    kind: boolean(),
    default: false,
    doc: "Writes log lines as JSON objects.",
  }),
  "logging.level": option({
    kind: enumeration(LOG_LEVELS, { ignoreCase: true }), // spec 8 rule 13
    default: "INFO",
    doc: "Lowest level that is logged.",
  }),
  "logging.log_file": option({
    kind: text({ rule: "the path of a file" }),
    default: undefined,
    doc: "File that receives a copy of the log on stderr. It is opened once, in append mode.",
    envOnly: true,
  }),

  "sre.enabled": option({
    kind: boolean(),
    default: false,
    doc: "Exposes `obs_slo_error_rate` and `obs_cost_budget_usd`, which recording rules compare with the counters.",
  }),
  "sre.default_slo_error_rate": option({
    kind: sloErrorRate, // spec 8 rule 14
    default: 0.01,
    doc: "Allowed errors per call of an agent without its own objective.",
  }),
  "sre.default_cost_budget_usd": option({
    kind: costBudgetUsd, // spec 8 rule 15
    default: 0,
    doc: "Allowed cost in USD per evaluation period of an agent without its own budget; 0 = no budget.",
  }),
  "sre.agents": option({
    kind: objectivesByAgent, // spec 8 rule 16
    default: {},
    doc: "Objectives by agent name: `slo_error_rate`, `cost_budget_usd`. The variable takes JSON.",
    env: "OBS_SERVER_SRE_AGENTS_JSON",
  }),
} satisfies Record<string, OptionDefinition>;

function cap(label: string, byDefault: number) {
  return option({
    kind: cardinalityCap,
    default: byDefault,
    doc: `Distinct values of the metric label \`${label}\`; any further value is counted as \`__other__\`.`,
  });
}

/** The key of an option: `section.key`, as in the YAML file. */
export type OptionKey = keyof typeof OPTIONS;

type ValueOf<Definition extends OptionDefinition> =
  | (Definition["kind"] extends OptionKind<infer T> ? T : never)
  | (undefined extends Definition["default"] ? undefined : never);

/** The value of every option by its key: `config["limits.max_queue_size"]`. */
export type Config = { readonly [Key in OptionKey]: ValueOf<(typeof OPTIONS)[Key]> };

/** {@link OPTIONS} in table order, with the fields derived from the keys. */
export const OPTION_LIST: readonly (Option & { readonly key: OptionKey })[] =
  Object.entries<OptionDefinition>(OPTIONS).map(([key, definition]) =>
    completeOption(key as OptionKey, definition),
  );
