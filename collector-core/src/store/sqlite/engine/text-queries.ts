import type { SpanSearch } from "../../memory/search/span-predicate.js";
import type { Clock } from "../../../runtime/clock.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import type { SqlDatabase } from "../driver/sqlite-driver.js";
import type { SqlCondition } from "./condition-sql.js";
import type { StartBounds } from "./start-bounds.js";
import { TextSearch, type TextSearchOptions } from "./text-search.js";

/** A trace with the value that an order ranks it by. */
export interface RankedRow {
  readonly sequence: number;
  readonly value: number;
}

/** What {@link TextQueries.first} finds. */
export interface FirstTraces {
  readonly condition: SqlCondition;
  readonly order: "newest" | "start";
  /** The newest trace that may be among them. */
  readonly newest: number;
  readonly count: number;
}

/** Traces that are searched first, for each of the page, and by how much more each time that they have no page. */
const FIRST_DEPTH = 4;
const DEEPER = 4;

/** Options of {@link TextQueries}. */
export interface TextQueriesOptions extends TextSearchOptions {
  readonly bounds: StartBounds;
}

/** Finds traces by predicates on the JSON of their spans. Everything that was appended must be flushed. */
export class TextQueries {
  readonly #db: SqlDatabase;
  readonly #search: TextSearch;
  readonly #bounds: StartBounds;
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(options: TextQueriesOptions) {
    this.#db = options.db;
    this.#search = new TextSearch(options);
    this.#bounds = options.bounds;
    this.#clock = options.clock;
  }

  /** The condition that a trace meets the searches; undefined if none can. */
  condition(searches: readonly SpanSearch[], signal: AbortSignal): Promise<SqlCondition | undefined> {
    return this.#searched(searches, 0, signal);
  }

  /**
   * The first traces in the order `newest` or `start` that meet the searches and the condition. Reads chunks from the newest on,
   * until they have a page: what a search finds further back, or of which it finds nothing, is not needed.
   *
   * @param newest - the newest trace that may be on the page.
   */
  async first(
    searches: readonly SpanSearch[],
    { condition, order, newest, count }: FirstTraces,
    signal: AbortSignal,
  ): Promise<RankedRow[]> {
    const isByStart = order === "start";
    const latestStartOf = isByStart && (await this.#bounds.latestUpTo(new TimeSlice(this.#clock, signal)));
    const [rank, by] = isByStart ? ["t.start_ms", "t.start_ms DESC, t.seq DESC"] : ["0", "t.seq DESC"];
    for (let depth = count * FIRST_DEPTH; ; depth *= DEEPER) {
      // The spans of a trace are in the chunk where it begins and in newer ones: of traces above, all is found.
      const above = Math.max(0, newest - depth);
      const found = await this.#searched(searches, above, signal);
      const latestBehindMs = above > 0 && latestStartOf ? latestStartOf(above) : Number.NEGATIVE_INFINITY;
      const rows =
        found === undefined
          ? []
          : this.#db
              .prepare(
                `SELECT t.seq AS seq, ${rank} AS value FROM trace t WHERE ${condition.sql} AND ${found.sql} AND t.seq > ? ` +
                  `ORDER BY ${by} LIMIT ?`,
              )
              .all(...condition.parameters, ...found.parameters, above, count)
              .map((row) => ({ sequence: Number(row["seq"]), value: Number(row["value"]) }));
      // A trace that is further back may start later than some of these.
      const isComplete = rows.length === count && (rows.at(-1)?.value ?? 0) > latestBehindMs;
      if (isComplete || above === 0) return rows;
    }
  }

  /**
   * The condition that a trace meets the searches, which holds for traces above a sequence; undefined if none of those can.
   */
  async #searched(
    searches: readonly SpanSearch[],
    above: number,
    signal: AbortSignal,
  ): Promise<SqlCondition | undefined> {
    const parts: string[] = [];
    const parameters: string[] = [];
    for (const { predicate, isNegated } of searches) {
      const found = new Set<number>();
      await this.#search.visit(
        predicate,
        signal,
        (sequence) => {
          if (sequence > above) found.add(sequence);
        },
        (newestBehind) => newestBehind > above,
      );
      if (found.size === 0 && !isNegated) return undefined;
      parts.push(`t.seq ${isNegated ? "NOT " : ""}IN (SELECT value FROM json_each(?))`);
      parameters.push(JSON.stringify([...found]));
    }
    return { sql: parts.length === 0 ? "1" : parts.join(" AND "), parameters };
  }
}
