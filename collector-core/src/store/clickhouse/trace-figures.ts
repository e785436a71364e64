import type { FacetField, Facets, FacetsQuery, Histogram, HistogramQuery } from "../../api-schema/trace.js";
import type { GroupsQuery, TraceGroups } from "../../api-schema/groups.js";
import type { Clock } from "../../runtime/clock.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { requireTimestamp } from "../../span/required-timestamp.js";
import { MAX_READ_BYTES } from "../memory/search/attribute-reader.js";
import { AttributeValues } from "../memory/search/attribute-values.js";
import { costSourceOf } from "../traces/cost-source.js";
import { GroupCounter } from "../traces/group-counter.js";
import type { TraceFigures as Figures } from "../traces/group-figures.js";
import { requireGroupBy, type GroupBy } from "../traces/group-key.js";
import { layOutBuckets, toHistogram } from "../traces/start-histogram.js";
import { fieldsOf } from "../traces/trace-conditions.js";
import { candidateSql, hasMatch } from "./span-sql.js";
import type { Database } from "./database.js";
import { EACH_DAY, HAS_COMPUTED_COST, IS_KEPT, STATUS, timeParameters, VALUE_COLUMNS } from "./schema.js";
import { SqlParameters, type SqlCondition } from "./sql-parameters.js";
import { readGroups } from "./trace-groups.js";
import { keyOf, type KeyColumns } from "./trace-keys.js";
import type { TraceMatching } from "./trace-matching.js";

/** Options of {@link TraceFigures}. */
export interface TraceFiguresOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly ttlSeconds: number;
  readonly matching: Pick<TraceMatching, "conditionOf">;
  /** Bytes of spans that a question about an attribute parses. Default: 256 MiB. */
  readonly maxReadBytes?: number | undefined;
}

const DEFAULT_BUCKETS = 60;
/** Values per facet. */
const MAX_VALUES = 200;
/** Traces whose attributes one query reads. */
const TRACES_PER_READ = 200;
/** Concurrent questions that read the spans of all traces: one is not faster beside another. */
const MAX_READS = 1;

/** The lists of a row of `traces` that are counted. */
const LISTED_FACETS = [
  "service",
  "env",
  "agent",
  "model",
  "span_type",
  "evaluation_type",
  "version",
  "provider",
  "tool",
  "prompt",
  "error_type",
] as const satisfies readonly FacetField[];

/** The row that counts all traces. */
const TOTAL = "total";

/** The figures of a trace, as a list: with their names, most of an answer would be names. */
const FIGURES = `(${STATUS} = 'ERROR', duration_ms, ttft_ms, tokens_input, tokens_output, cost_usd, ${HAS_COMPUTED_COST}, score_types, score_values) AS figures`;
type FiguresColumn = readonly [
  hasError: number,
  durationMs: number,
  ttftMs: number | null,
  tokensInput: number,
  tokensOutput: number,
  costUsd: number,
  hasComputedCost: number,
  scoreTypes: readonly string[],
  scores: readonly number[],
];

interface KeyedRow extends KeyColumns {
  readonly first_arrival: number;
  readonly figures: FiguresColumn;
}

/** Answers what is counted over all traces that match a filter. */
export class TraceFigures {
  readonly #options: TraceFiguresOptions;
  readonly #reads = createConcurrencyLimit(MAX_READS);

  constructor(options: TraceFiguresOptions) {
    this.#options = options;
  }

  /**
   * Counted by ClickHouse, since a collector has no room for all combinations of values: first the traces of each combination, of which
   * an app has a few dozen, then those of each value.
   */
  async facets(query: FacetsQuery, signal?: AbortSignal): Promise<Facets> {
    const condition = await this.#options.matching.conditionOf(query, signal);
    const columns = LISTED_FACETS.map((field) => VALUE_COLUMNS[field]);
    const pairs = [
      ...LISTED_FACETS.map(
        (field) => `arrayMap(value -> ('${field}', toString(value)), ${VALUE_COLUMNS[field]})`,
      ),
      `[('status', toString(shown_status)), ('tenant', tenant), ('${TOTAL}', '${TOTAL}')]`,
    ];
    const isShown =
      query.contains === undefined
        ? "1"
        : `(field = '${TOTAL}' OR position(lowerUTF8(value), {contains:String}) > 0)`;
    const rows = await this.#options.database.rows<FacetRow>(
      `SELECT *, count() OVER (PARTITION BY field) AS distinct FROM (
SELECT pair.1 AS field, pair.2 AS value, sum(combined) AS traces, sum(combined_cost) AS cost, max(computed) AS has_computed
FROM (SELECT arrayJoin(arrayConcat(${pairs.join(", ")})) AS pair, combined, combined_cost, computed FROM (
SELECT ${columns.join(", ")}, ${STATUS} AS shown_status, tenant, count() AS combined, sum(cost_usd) AS combined_cost, max(${HAS_COMPUTED_COST}) AS computed
FROM traces FINAL WHERE ${IS_KEPT} AND ${condition.sql}
GROUP BY ${columns.join(", ")}, shown_status, tenant))
GROUP BY field, value HAVING value != '' AND ${isShown})
ORDER BY traces DESC, value LIMIT ${MAX_VALUES} BY field SETTINGS ${EACH_DAY}`,
      {
        ...condition.parameters,
        ...timeParameters(this.#options),
        contains: query.contains?.toLowerCase().toWellFormed() ?? "",
      },
      signal,
    );
    return facetsOf(rows);
  }

  async histogram(query: HistogramQuery, signal?: AbortSignal): Promise<Histogram> {
    const since = requireTimestamp(query.since, "since");
    const until = requireTimestamp(query.until, "until");
    const range = { sinceMs: since?.epochMs, untilMs: until && until.epochMs + Math.sign(until.nanos) };
    const condition = await this.#options.matching.conditionOf(query, signal);
    const { database } = this.#options;
    const matching = `FROM traces FINAL WHERE ${IS_KEPT} AND ${condition.sql}`;
    const parameters = { ...condition.parameters, ...timeParameters(this.#options) };
    const [bounds] = await database.rows<{ traces: number; first: number; last: number }>(
      `SELECT count() AS traces, min(start_ms) AS first, max(start_ms) AS last ${matching} SETTINGS ${EACH_DAY}`,
      parameters,
      signal,
    );
    const total = bounds?.traces ?? 0;
    const starts =
      bounds === undefined || total === 0 ? undefined : { firstMs: bounds.first, lastMs: bounds.last };
    const layout = layOutBuckets(starts, range, query.buckets ?? DEFAULT_BUCKETS);
    if (layout === undefined || total === 0) return toHistogram(total, layout, []);
    const rows = await database.rows<{ bucket: number; traces: number; errors: number }>(
      // Starts are not negative, so that the division rounds down.
      `SELECT intDiv(start_ms, {length_ms:Int64}) AS bucket, count() AS traces, countIf(${STATUS} = 'ERROR') AS errors
${matching} GROUP BY bucket SETTINGS ${EACH_DAY}`,
      { ...parameters, length_ms: layout.lengthMs },
      signal,
    );
    const counts = rows.map(({ bucket, traces, errors }) => ({
      ...{ index: bucket - layout.first, traces, errors },
    }));
    return toHistogram(total, layout, counts);
  }

  async groups(query: GroupsQuery, signal?: AbortSignal): Promise<TraceGroups> {
    const by = requireGroupBy(query.by);
    const condition = await this.#options.matching.conditionOf(query, signal);
    if (by.kind === "attribute")
      return await this.#reads(() => this.#groupsOfAttribute(by.path, query, condition, signal), signal);
    const groups = await readGroups(
      this.#options.database,
      {
        values: valuesSql(by),
        condition: {
          sql: `${IS_KEPT} AND ${condition.sql}`,
          parameters: { ...condition.parameters, ...timeParameters(this.#options) },
        },
        order: query.order,
        contains: query.contains,
      },
      signal,
    );
    return { ...groups, unread: 0 };
  }

  /** Reads the newest traces first. */
  async #groupsOfAttribute(
    path: string,
    query: GroupsQuery,
    condition: SqlCondition,
    signal: AbortSignal | undefined,
  ): Promise<TraceGroups> {
    const { database, clock, maxReadBytes = MAX_READ_BYTES } = this.#options;
    const counter = new GroupCounter(query);
    const timeSlice = new TimeSlice(clock, signal);
    const found = new AttributeValues(path);
    let unread = 0;
    const matching = `FROM traces FINAL WHERE ${IS_KEPT} AND ${condition.sql}`;
    for (let after: KeyedRow | undefined; ;) {
      const behind = after === undefined ? "" : `AND (first_arrival, trace_id, tenant) < (${AFTER})`;
      const parameters = {
        ...condition.parameters,
        ...timeParameters(this.#options),
        ...afterParameters(after),
      };
      if (found.readBytes > maxReadBytes) {
        const [rest] = await database.rows<{ traces: number }>(
          `SELECT count() AS traces ${matching} ${behind} SETTINGS ${EACH_DAY}`,
          parameters,
          signal,
        );
        unread += rest?.traces ?? 0;
        break;
      }
      const page = await database.rows<KeyedRow>(
        `SELECT tenant, trace_id, first_arrival, ${FIGURES} ${matching} ${behind}
ORDER BY first_arrival DESC, trace_id DESC, tenant DESC LIMIT ${TRACES_PER_READ} SETTINGS ${EACH_DAY}`,
        parameters,
        signal,
      );
      const values = await this.#valuesOf(found, page, { maxReadBytes, timeSlice }, signal);
      for (const [index, row] of page.entries()) {
        const read = values[index];
        if (read === undefined) unread++;
        else counter.add(read, figuresOf(row.figures));
      }
      if (page.length < TRACES_PER_READ) break;
      after = page.at(-1);
    }
    return { ...(await counter.toGroups(timeSlice)), unread };
  }

  /** The values of an attribute of each trace; fewer of them if the question has read too much. */
  async #valuesOf(
    found: AttributeValues,
    traces: readonly KeyColumns[],
    { maxReadBytes, timeSlice }: { readonly maxReadBytes: number; readonly timeSlice: TimeSlice },
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly string[])[]> {
    if (traces.length === 0) return [];
    const parameters = new SqlParameters();
    const keys = traces.map(keyOf);
    const place = `indexOf(${parameters.keys(keys)}, (tenant, trace_id)) - 1`;
    const pages = this.#options.database.stream<{ place: number; json: string }>(
      `SELECT ${place} AS place, json FROM spans FINAL
WHERE ${parameters.ofTraces(keys)} AND ${candidateSql(found, parameters)} ORDER BY place, arrival`,
      parameters.values,
      signal,
    );
    const values: (readonly string[])[] = [];
    let at = 0;
    let isEnough = false;
    for await (const rows of pages)
      for (const { place: next, json } of rows) {
        if (timeSlice.isOver()) await timeSlice.next();
        if (next > at) {
          values[at] = found.take();
          for (at++; at < next; at++) values[at] = [];
          isEnough = false;
          if (found.readBytes > maxReadBytes) return values;
        }
        isEnough ||= await hasMatch(found, json, timeSlice);
      }
    values[at] = found.take();
    for (at++; at < traces.length; at++) values[at] = [];
    return values;
  }
}

const AFTER = "{after_arrival:Int64}, {after_id:String}, {after_tenant:String}";

function afterParameters(row: KeyedRow | undefined) {
  return row && { after_arrival: row.first_arrival, after_id: row.trace_id, after_tenant: row.tenant };
}

interface FacetRow {
  readonly field: string;
  readonly value: string;
  readonly traces: number;
  readonly cost: number | null;
  readonly has_computed: number;
  readonly distinct: number;
}

function facetsOf(rows: readonly FacetRow[]): Facets {
  const total = rows.find(({ field }) => field === TOTAL);
  const distinct: Record<string, number> = {};
  const facetOf = (field: FacetField): { value: string; count: number }[] => {
    const ofField = rows.filter((row) => row.field === field);
    distinct[field] = ofField[0]?.distinct ?? 0;
    // ClickHouse compares the bytes of texts.
    return ofField
      .map(({ value, traces }) => ({ value, count: traces }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  };
  // A sum that is too large is infinite there, and null in JSON.
  const costUsd = total === undefined ? 0 : (total.cost ?? Number.MAX_VALUE);
  return {
    total: total?.traces ?? 0,
    cost_usd: costUsd,
    cost_source: costSourceOf(costUsd, total?.has_computed === 1),
    service: facetOf("service"),
    env: facetOf("env"),
    agent: facetOf("agent"),
    model: facetOf("model"),
    status: facetOf("status"),
    span_type: facetOf("span_type"),
    evaluation_type: facetOf("evaluation_type"),
    tenant: facetOf("tenant"),
    version: facetOf("version"),
    provider: facetOf("provider"),
    tool: facetOf("tool"),
    prompt: facetOf("prompt"),
    error_type: facetOf("error_type"),
    distinct,
  };
}

/** The values of a trace for a key of groups, as a list. */
function valuesSql(by: Exclude<GroupBy, { kind: "attribute" }>): string {
  if (by.kind === "name")
    return `[${by.key === "name" ? "root_name" : by.key === "session" ? "session_id" : "user_id"}]`;
  if (by.key === "tenant") return "[tenant]";
  if (by.key === "status") return `[${STATUS}]`;
  const [field] = fieldsOf(by.key);
  return field === undefined ? "[]" : VALUE_COLUMNS[field];
}

function figuresOf([hasError, durationMs, ttftMs, ...rest]: FiguresColumn): Figures {
  const [tokensInput, tokensOutput, costUsd, hasComputedCost, scoreTypes, scores] = rest;
  return {
    ...{ durationMs, ttftMs: ttftMs ?? Number.NaN, tokensInput, tokensOutput, costUsd },
    hasComputedCost: hasComputedCost === 1,
    hasError: hasError === 1,
    scores: scoreTypes.map((type, index) => ({ type, score: scores[index] ?? 0 })),
  };
}
