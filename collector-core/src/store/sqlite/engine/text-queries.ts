import type { SpanPredicate, SpanSearch } from "../../memory/search/span-predicate.js";
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
  async condition(searches: readonly SpanSearch[], signal: AbortSignal): Promise<SqlCondition | undefined> {
    const parts: string[] = [];
    const parameters: string[] = [];
    for (const { predicate, isNegated } of searches) {
      const found = new Set<number>();
      await this.#search.visit(predicate, signal, (sequence) => void found.add(sequence));
      if (found.size === 0 && !isNegated) return undefined;
      parts.push(`t.seq ${isNegated ? "NOT " : ""}IN (SELECT value FROM json_each(?))`);
      parameters.push(JSON.stringify([...found]));
    }
    return { sql: parts.length === 0 ? "1" : parts.join(" AND "), parameters };
  }

  /** The newest traces of which a span meets the predicate, and which meet the condition. */
  async newest(
    predicate: SpanPredicate,
    condition: SqlCondition,
    count: number,
    signal: AbortSignal,
  ): Promise<number[]> {
    const matches = this.#db.prepare(`SELECT 1 FROM trace t WHERE ${condition.sql} AND t.seq = ?`);
    const found = new Set<number>();
    let countedFrom = Number.POSITIVE_INFINITY;
    let surelyFound = 0;
    await this.#search.visit(
      predicate,
      signal,
      (sequence) => {
        if (!found.has(sequence) && matches.get(...condition.parameters, sequence) !== undefined) {
          found.add(sequence);
          if (sequence > countedFrom) surelyFound++;
        }
      },
      (newestBehind) => {
        // Older chunks have no newer trace: what was found of these is complete.
        if (newestBehind < countedFrom) {
          countedFrom = newestBehind;
          surelyFound = 0;
          for (const sequence of found) if (sequence > newestBehind) surelyFound++;
        }
        return surelyFound < count;
      },
    );
    return [...found].sort((a, b) => b - a).slice(0, count);
  }

  /** The traces with the latest start of which a span meets the predicate, and which meet the condition. */
  async latest(
    predicate: SpanPredicate,
    condition: SqlCondition,
    count: number,
    signal: AbortSignal,
  ): Promise<RankedRow[]> {
    const sql = `SELECT t.start_ms AS start FROM trace t WHERE ${condition.sql} AND t.seq = ?`;
    const matches = this.#db.prepare(sql);
    const latestStartOf = await this.#bounds.latestUpTo(new TimeSlice(this.#clock));
    const found = new Map<number, number>();
    let boundMs = Number.POSITIVE_INFINITY;
    let surelyFound = 0;
    await this.#search.visit(
      predicate,
      signal,
      (sequence) => {
        if (found.has(sequence)) return;
        const start = matches.get(...condition.parameters, sequence)?.["start"];
        if (typeof start !== "number") return;
        found.set(sequence, start);
        if (start > boundMs) surelyFound++;
      },
      (newestBehind) => {
        // No trace of an older chunk starts later: what was found above is complete.
        const latestMs = latestStartOf(newestBehind);
        if (latestMs < boundMs) {
          boundMs = latestMs;
          surelyFound = 0;
          for (const start of found.values()) if (start > boundMs) surelyFound++;
        }
        return surelyFound < count;
      },
    );
    return [...found]
      .map(([sequence, value]) => ({ sequence, value }))
      .sort((a, b) => b.value - a.value || b.sequence - a.sequence)
      .slice(0, count);
  }
}
