import type { Clock } from "../../runtime/clock.js";
import { summaryIndex, type SummaryField } from "../traces/summary-fields.js";
import type { ValueField } from "../traces/trace-values.js";

/** `trace_store.text_index`. */
export type TextIndex = "ngrams" | "none";

/** What the tables are made with. */
export interface SchemaOptions {
  readonly textIndex: TextIndex;
  /** `trace_store.ttl_seconds`; 0 = traces never expire. */
  readonly ttlSeconds: number;
}

/** The columns of `traces` with the distinct values of the spans of a trace (`TraceValues`). */
export const VALUE_COLUMNS: Readonly<Record<ValueField, string>> = {
  service: "services",
  env: "envs",
  version: "versions",
  agent: "agents",
  model: "models",
  provider: "providers",
  tool: "tools",
  error_type: "error_types",
  span_type: "span_types",
  evaluation_type: "evaluation_types",
  prompt: "prompts",
  prompt_name: "prompt_names",
  prompt_version: "prompt_versions",
  has: "marks",
};

/** Times are milliseconds since the Unix epoch, as all of the collector has them. A partition is a day. */
export const DAY_MS = 86_400_000;

/** Rows between two marks: one trace is read for a list of its spans, and few rows around it. */
const GRANULARITY = "index_granularity = 1024";

const LABEL = "LowCardinality(String)";
const LABELS = `Array(${LABEL})`;

/**
 * One row a span. A span that comes again replaces the row with the lower `version`: an end wins over a running span, then the later
 * arrival. Every write may be repeated.
 *
 * - `arrival`: `received_ms` times 4,096, plus the position among the spans of the same millisecond: the order of arrival.
 * - `version`: `arrival`, plus 2^62 if the span has ended.
 * - `flags`: bits of `FLAG`.
 * - `score`: JSON of the score of an evaluation; empty on other spans.
 * - `search_text`: the name and all strings of the attributes, each folded by `foldCase`, with NUL between them.
 * - `json`: the span as the collector got it, after redaction.
 */
function spansTable({ textIndex, ttlSeconds }: SchemaOptions): string {
  const index = textIndex === "none" ? "" : `,\n  ${TEXT_INDEX}`;
  return `CREATE TABLE IF NOT EXISTS spans (
  tenant String,
  trace_id String,
  span_id String,
  version UInt64,
  received_ms Int64,
  arrival Int64,
  parent_span_id String,
  name String,
  service ${LABEL},
  env ${LABEL},
  app_version LowCardinality(Nullable(String)),
  span_type ${LABEL},
  status ${LABEL},
  model ${LABEL},
  provider ${LABEL},
  agent ${LABEL},
  tool_name ${LABEL},
  prompt_name ${LABEL},
  prompt_version ${LABEL},
  error_type ${LABEL},
  evaluation_type ${LABEL},
  session_id String,
  user_id String,
  flags UInt16,
  start_ms Int64,
  start_nanos UInt32,
  duration_ms Nullable(Float64),
  tokens_input Nullable(Float64),
  tokens_output Nullable(Float64),
  cost_usd Nullable(Float64),
  ttft_ms Nullable(Float64),
  input_preview Nullable(String),
  output_preview Nullable(String),
  score String,
  search_text String CODEC(ZSTD(1)),
  json String CODEC(ZSTD(1))${index}
) ENGINE = ReplacingMergeTree(version)
PARTITION BY intDiv(received_ms, ${DAY_MS})
ORDER BY (tenant, trace_id, span_id)
${expiry("received_ms", ttlSeconds)}SETTINGS ${GRANULARITY}`;
}

const TEXT_INDEX = "INDEX text search_text TYPE text(tokenizer = ngrams(3)) GRANULARITY 64";

/** Whether `spans` has the index of texts, as a row if it has. */
export const TEXT_INDEX_OF_TABLE =
  "SELECT name FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = 'spans' AND name = 'text'";

/** Statements on a table that exists: its index of texts is that of the configuration. ClickHouse builds it in the background. */
export function setTextIndex({ textIndex }: SchemaOptions): readonly string[] {
  if (textIndex === "none")
    return ["ALTER TABLE spans DROP INDEX IF EXISTS text SETTINGS mutations_sync = 0"];
  return [
    `ALTER TABLE spans ADD ${TEXT_INDEX.replace("INDEX", "INDEX IF NOT EXISTS")}`,
    "ALTER TABLE spans MATERIALIZE INDEX text SETTINGS mutations_sync = 0",
  ];
}

/**
 * What a session reads of the summaries of its traces, which may be a million. ClickHouse fills them in, also for rows that were written
 * before the columns were there.
 */
const SESSION_COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ["first_agent", `${LABEL} MATERIALIZED JSONExtractString(summary, ${placeOf("agent")})`],
  ["listed_models", `${LABELS} MATERIALIZED JSONExtract(summary, ${placeOf("models")}, 'Array(String)')`],
  ["error_count", `UInt32 MATERIALIZED JSONExtractUInt(summary, ${placeOf("error_count")})`],
  ["has_input", `Bool MATERIALIZED JSONType(summary, ${placeOf("input_preview")}) = 'String'`],
];

/** Where ClickHouse finds a field of a summary: it counts from 1. */
function placeOf(field: SummaryField): number {
  return summaryIndex(field) + 1;
}

/** The statements that bring tables of an earlier version to the next one, by that version. */
export const UPGRADES: Readonly<Record<number, readonly string[]>> = {
  1: SESSION_COLUMNS.flatMap(([name, type]) => [
    `ALTER TABLE traces ADD COLUMN IF NOT EXISTS ${name} ${type}`,
    // In the background: until then it is computed when it is read.
    `ALTER TABLE traces MATERIALIZE COLUMN ${name} SETTINGS mutations_sync = 0`,
  ]),
};

/**
 * One row a trace: its summary, and what lists are filtered, counted and ordered by. Summed up from all spans of the trace, so the row
 * of the collector that saw most spans wins.
 *
 * - `version`: the spans that were seen, plus those of them that have ended, plus 2^32 for each time that ClickHouse had removed some.
 * - `first_arrival`: `arrival` of its first span; the order of lists. `first_received_ms` is the same time.
 * - `running_until_ms`: when the trace is abandoned, unless a span comes; 0 if it is not running. See {@link STATUS}.
 * - `score_types`, `score_values`, `score_labels`: the latest score of each type.
 * - `summary`: see `encodeSummary`.
 * - `remains`: JSON of `TraceRemains` that an import brought; empty if it brought none.
 * - Others: {@link SESSION_COLUMNS}.
 */
function tracesTable({ ttlSeconds }: SchemaOptions): string {
  const values = Object.values(VALUE_COLUMNS).map((column) => `  ${column} ${LABELS},`);
  return `CREATE TABLE IF NOT EXISTS traces (
  tenant String,
  trace_id String,
  version UInt64,
  first_arrival Int64,
  first_received_ms Int64,
  last_received_ms Int64,
  start_ms Int64,
  start_nanos UInt32,
  duration_ms Float64,
  ttft_ms Nullable(Float64),
  cost_usd Float64,
  tokens_input Float64,
  tokens_output Float64,
  span_count UInt32,
  evaluation_count UInt32,
  status ${LABEL},
  running_until_ms Int64,
  root_name String,
  session_id String,
  user_id String,
  has_evaluation Bool,
${values.join("\n")}
  score_types ${LABELS},
  score_values Array(Float64),
  score_labels Array(Nullable(String)),
  summary String CODEC(ZSTD(1)),
  remains String CODEC(ZSTD(1)),
${SESSION_COLUMNS.map(([name, type]) => `  ${name} ${type}`).join(",\n")}
) ENGINE = ReplacingMergeTree(version)
PARTITION BY intDiv(first_received_ms, ${DAY_MS})
ORDER BY (tenant, trace_id)
${expiry("last_received_ms", ttlSeconds)}SETTINGS ${GRANULARITY}`;
}

/** One row: the saved views as JSON. */
const VIEWS_TABLE = `CREATE TABLE IF NOT EXISTS views (id UInt8, version UInt64, json String)
ENGINE = ReplacingMergeTree(version) ORDER BY id`;

/**
 * The finished steps of `GET /v1/stats`, of every collector: a row a step, which never changes. `data` is that of a `ClosedStep`. A table
 * that is added needs no new version: older collectors do not read it.
 */
const STATS_TABLE = `CREATE TABLE IF NOT EXISTS stats (
  resolution UInt8,
  start_s Int64,
  writer String,
  format UInt16,
  written_ms Int64 DEFAULT toUnixTimestamp64Milli(now64(3)),
  data String CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY intDiv(start_s, ${DAY_MS / 1000})
ORDER BY (resolution, start_s, writer)
TTL toDateTime(start_s) + INTERVAL 26 HOUR`;

function expiry(column: string, ttlSeconds: number): string {
  return ttlSeconds === 0 ? "" : `${expiryOf(column, ttlSeconds)}\n`;
}

function expiryOf(column: string, ttlSeconds: number): string {
  return `TTL toDateTime(intDiv(${column}, 1000)) + INTERVAL ${ttlSeconds} SECOND`;
}

/** The statements that create the tables. They do nothing where a table exists. */
export function createTables(options: SchemaOptions): readonly string[] {
  return [spansTable(options), tracesTable(options), VIEWS_TABLE, STATS_TABLE];
}

/** Statements on tables that exist: their expiry is that of the configuration. */
export function setExpiry({ ttlSeconds }: SchemaOptions, table: "spans" | "traces"): string {
  const column = table === "spans" ? "received_ms" : "last_received_ms";
  return ttlSeconds === 0
    ? `ALTER TABLE ${table} REMOVE TTL`
    : `ALTER TABLE ${table} MODIFY ${expiryOf(column, ttlSeconds)}`;
}

/** The status of a row of `traces`, with {@link timeParameters}. */
export const STATUS = "if(running_until_ms > 0 AND running_until_ms <= {now_ms:Int64}, 'ABANDONED', status)";

/** True for a trace with a cost that a collector computed. */
export const HAS_COMPUTED_COST = "has(marks, 'computed_cost')";

/** True for a row of `traces` that has not expired, with {@link timeParameters}: ClickHouse removes rows some hours later. */
export const IS_KEPT = "last_received_ms > {expired_ms:Int64}";

/** The parameters of {@link STATUS} and {@link IS_KEPT}. @param options - `ttlSeconds` 0 = traces never expire. */
export function timeParameters({
  clock,
  ttlSeconds,
}: {
  readonly clock: Pick<Clock, "now">;
  readonly ttlSeconds: number;
}) {
  const nowMs = Math.floor(clock.now());
  return { now_ms: nowMs, expired_ms: ttlSeconds === 0 ? -1 : nowMs - ttlSeconds * 1000 };
}

/**
 * For queries over many traces, `FROM traces FINAL … SETTINGS`: rows of a trace are on one day, but for a trace whose first batch came twice.
 * Without it, and without bounds on `first_received_ms` that are constants or parameters, a page reads every day.
 */
export const EACH_DAY = "do_not_merge_across_partitions_select_final = 1";
