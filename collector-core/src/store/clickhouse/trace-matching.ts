import { invalidQuery } from "../../api-schema/errors.js";
import type { TraceFilter } from "../../api-schema/trace.js";
import type { TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { traceKeyText } from "../../span/trace-key-text.js";
import type { SpanPredicate, SpanSearch } from "../memory/search/span-predicate.js";
import { SpanText } from "../memory/search/span-text.js";
import { readConditions } from "../traces/trace-conditions.js";
import { allOf, conditionsOf } from "./condition-sql.js";
import type { Database } from "./database.js";
import { IS_KEPT, timeParameters } from "./schema.js";
import { candidateSql, hasMatch, isInValues, likeSql, spansWith } from "./span-sql.js";
import { SqlParameters, type SqlCondition } from "./sql-parameters.js";
import { keyOf, type KeyColumns } from "./trace-keys.js";

/** Traces that a condition on an attribute may find: their keys are sent to ClickHouse. */
const MAX_FOUND = 100_000;

/** Options of {@link TraceMatching}. */
export interface TraceMatchingOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** `trace_store.ttl_seconds`; 0 = traces never expire. */
  readonly ttlSeconds: number;
  /** Default: 100,000. Smaller in tests. */
  readonly maxFound?: number | undefined;
}

/** A row of `spans` whose JSON is read. */
interface JsonRow extends KeyColumns {
  readonly json: string;
}

/** What a search reads. */
interface Candidates {
  /** See {@link spansWith}. */
  readonly spans: string;
  /** The condition of the traces that can match. */
  readonly traces: string;
  readonly parameters: SqlParameters;
}

/** For a query within one that has `EACH_DAY`: a span that was replaced on a later day does not count. */
const ALL_DAYS = "do_not_merge_across_partitions_select_final = 0";

/** Translates filters into conditions on rows of `traces`. */
export class TraceMatching {
  readonly #options: TraceMatchingOptions;

  constructor(options: TraceMatchingOptions) {
    this.#options = options;
  }

  /**
   * The condition of all parameters of a filter, which needs `timeParameters` too. Texts are compared by ClickHouse. Attributes are
   * looked for there and compared here, with the code of the other stores: the condition has the keys of the traces that were found.
   *
   * @param fromMs - of the traces whose first span arrived then or later: less is read.
   * @throws `ApiError` `invalid_query` if the filter cannot be read, or if too many traces have an attribute.
   */
  async conditionOf(filter: TraceFilter, signal?: AbortSignal, fromMs = 0): Promise<SqlCondition> {
    const conditions = readConditions(filter, this.#options.clock.now());
    const parameters = new SqlParameters();
    const from = parameters.integer(fromMs);
    const parts = [`first_received_ms >= ${from}`, ...conditionsOf(filter, conditions, parameters)];
    const isNew = `received_ms >= ${from}`;
    // Texts first: they leave fewer spans to be read for an attribute.
    for (const { predicate, isNegated } of conditions.searches.filter((each) => isPlain(each.predicate))) {
      const spans = spansWith(allOf([isNew, textSql(predicate, parameters)]));
      parts.push(
        `(tenant, trace_id) ${isNegated ? "NOT IN" : "IN"} (SELECT tenant, trace_id FROM ${spans} SETTINGS ${ALL_DAYS})`,
      );
    }
    for (const search of conditions.searches.filter((each) => !isPlain(each.predicate))) {
      const spans = spansWith(allOf([isNew, candidateSql(search.predicate, parameters)]));
      parts.push(await this.#read(search, { spans, traces: allOf(parts), parameters }, signal));
    }
    return { sql: allOf(parts), parameters: parameters.values };
  }

  /** The condition of a search that reads the JSON of spans. */
  async #read(
    { predicate, isNegated }: SpanSearch,
    { spans, traces, parameters }: Candidates,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { database, clock, maxFound = MAX_FOUND } = this.#options;
    const timeSlice = new TimeSlice(clock, signal);
    const found = new Map<string, TraceKey>();
    const candidates =
      `SELECT tenant, trace_id, json FROM ${spans} ` +
      `AND (tenant, trace_id) IN (SELECT tenant, trace_id FROM traces FINAL WHERE ${traces} AND ${IS_KEPT})`;
    const values = { ...parameters.values, ...timeParameters(this.#options) };
    for await (const rows of database.stream<JsonRow>(candidates, values, signal))
      for (const row of rows) {
        if (timeSlice.isOver()) await timeSlice.next();
        const key = keyOf(row);
        const text = traceKeyText(key);
        if (found.has(text) || !(await hasMatch(predicate, row.json, timeSlice))) continue;
        found.set(text, key);
        if (found.size > maxFound)
          throw invalidQuery(
            `more than ${maxFound} traces have such an attribute: add a time, such as start:>-1h`,
            { field: "query" },
          );
      }
    return `${isNegated ? "NOT " : ""}${parameters.ofTraces([...found.values()])}`;
  }
}

/** True for a search that `search_text` answers. */
function isPlain(predicate: SpanPredicate): boolean {
  return predicate instanceof SpanText && predicate.searched.every(isInValues);
}

function textSql({ searched }: SpanPredicate, parameters: SqlParameters): string {
  return allOf(searched.map(({ folded }) => likeSql(folded, parameters)));
}
