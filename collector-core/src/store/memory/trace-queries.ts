import type {
  Facets,
  FacetsQuery,
  Histogram,
  HistogramQuery,
  TraceFilter,
  TraceOrder,
  TraceQuery,
  TraceSummary,
} from "../../api-schema/trace.js";
import type { GroupsQuery, TraceGroups } from "../../api-schema/groups.js";
import type { TraceKey, TracePage } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { requireTimestamp } from "../../span/required-timestamp.js";
import { FacetCounter } from "../traces/facet-counter.js";
import { GroupCounter } from "../traces/group-counter.js";
import type { TraceFigures } from "../traces/group-figures.js";
import { groupValuesOf, requireGroupBy } from "../traces/group-key.js";
import { ListCursors, type ListPosition } from "../traces/list-cursor.js";
import { StartHistogram } from "../traces/start-histogram.js";
import { needsSearch } from "../traces/trace-conditions.js";
import { scoresOf, summarizeTrace } from "../traces/trace-summary.js";
import type { TraceRecord } from "../traces/trace-record.js";
import type { HeldTraces } from "./held-traces.js";
import { AttributeReader } from "./search/attribute-reader.js";
import type { TraceBlock } from "./index/trace-block.js";
import { TracePageCollector, type RankedTrace } from "./search/trace-pages.js";
import type { TraceSearch, TraceVisitor } from "./search/trace-search.js";
import type { TraceEviction } from "./trace-eviction.js";

/** Concurrent queries without a text. More would not be faster, and each holds up to 1,000 summaries. */
const MAX_QUERIES = 4;
/** Concurrent questions that parse the spans of all traces: one is not faster beside another. */
const MAX_READS = 1;
const DEFAULT_LIMIT = 20;
const DEFAULT_BUCKETS = 60;
/** A limit is not held while a page is read: a slow reader delays no other query. */
const KEYS_PER_PAGE = 500;

/** Options of {@link TraceQueries}. */
export interface TraceQueriesOptions {
  readonly held: HeldTraces;
  readonly eviction: Pick<TraceEviction, "evictExpired">;
  readonly search: TraceSearch;
  readonly clock: Pick<Clock, "monotonic">;
  /** Bytes of spans that a question about an attribute parses. Default: 256 MiB. */
  readonly maxReadBytes?: number | undefined;
}

/** The sequence that ends the traces of a list, exclusive. */
function endOf(order: TraceOrder, after: ListPosition | undefined, newestSequence: number): number {
  if (order === "newest" && after !== undefined) return after.sequence;
  // Arrivals move no page of this order: their start places them.
  return order === "start" ? Number.POSITIVE_INFINITY : newestSequence + 1;
}

/** Answers queries over all traces. */
export class TraceQueries {
  readonly #held: HeldTraces;
  readonly #eviction: Pick<TraceEviction, "evictExpired">;
  readonly #search: TraceSearch;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #cursors = new ListCursors();
  readonly #limited = createConcurrencyLimit(MAX_QUERIES);
  readonly #reads = createConcurrencyLimit(MAX_READS);
  readonly #attributes: AttributeReader;

  constructor({ held, eviction, search, clock, maxReadBytes }: TraceQueriesOptions) {
    this.#held = held;
    this.#eviction = eviction;
    this.#search = search;
    this.#clock = clock;
    this.#attributes = new AttributeReader(held.spans, maxReadBytes);
  }

  async list(query: TraceQuery, signal?: AbortSignal): Promise<TracePage> {
    const { limit = DEFAULT_LIMIT, cursor, order = "newest" } = query;
    const after = cursor === undefined ? undefined : this.#cursors.decode(cursor, order);
    return await this.#run(query, signal, async () => {
      const newestSequence = after?.newestSequence ?? this.#held.traces.newestSequence;
      const collector = new TracePageCollector(order, limit, after);
      await this.#search(
        query,
        { before: endOf(order, after, newestSequence) },
        (trace, block, slot) => collector.add(trace, block, slot),
        signal,
      );

      const { page, hasMore } = collector.finish();
      const summaries = await this.#summarize(page, signal);
      const last = page.at(-1);
      const nextCursor =
        hasMore && last !== undefined
          ? this.#cursors.encode({ order, sequence: last.trace.sequence, value: last.value, newestSequence })
          : null;
      return { traces: summaries, nextCursor };
    });
  }

  async facets(query: FacetsQuery, signal?: AbortSignal): Promise<Facets> {
    return await this.#run(query, signal, async () => {
      const counter = new FacetCounter(query.contains);
      await this.#visitAll(query, signal, (_trace, block, slot) => {
        counter.add(block.values(slot), 1, block.costUsd(slot));
        return true;
      });
      return await counter.toFacets(new TimeSlice(this.#clock, signal));
    });
  }

  async histogram(query: HistogramQuery, signal?: AbortSignal): Promise<Histogram> {
    return await this.#run(query, signal, async () => {
      const histogram = new StartHistogram();
      await this.#visitAll(query, signal, (_trace, block, slot) => {
        histogram.add(block.startEpochMs(slot), block.values(slot).status === "ERROR");
        return true;
      });
      const since = requireTimestamp(query.since, "since");
      const until = requireTimestamp(query.until, "until");
      return histogram.toHistogram(query.buckets ?? DEFAULT_BUCKETS, {
        sinceMs: since?.epochMs,
        untilMs: until && until.epochMs + Math.sign(until.nanos),
      });
    });
  }

  async groups(query: GroupsQuery, signal?: AbortSignal): Promise<TraceGroups> {
    const by = requireGroupBy(query.by);
    if (by.kind === "attribute")
      return await this.#reads(() => this.#groupsOfAttribute(by.path, query, signal), signal);
    const { index } = this.#held;
    return await this.#run(query, signal, async () => {
      const counter = new GroupCounter(query);
      await this.#visitAll(query, signal, (trace, block, slot) => {
        let values: readonly string[];
        if (by.kind === "values") values = groupValuesOf(block.values(slot), by.key);
        else if (by.key === "name") values = [index.rootNameOf(block, slot, trace, this.#clock.monotonic())];
        else values = [by.key === "session" ? trace.sessionId : trace.userId];
        counter.add(values, this.#figuresOf(trace, block, slot));
        return true;
      });
      return { ...(await counter.toGroups(new TimeSlice(this.#clock, signal))), unread: 0 };
    });
  }

  async #groupsOfAttribute(path: string, query: GroupsQuery, signal?: AbortSignal): Promise<TraceGroups> {
    const matching: [TraceRecord, TraceFigures][] = [];
    await this.#run(query, signal, () =>
      this.#visitAll(query, signal, (trace, block, slot) => {
        matching.push([trace, this.#figuresOf(trace, block, slot)]);
        return true;
      }),
    );
    const counter = new GroupCounter(query);
    const timeSlice = new TimeSlice(this.#clock, signal);
    const reading = this.#attributes.read(path);
    let unread = 0;
    for (const [trace, figures] of matching) {
      if (timeSlice.isOver()) await timeSlice.next();
      if (trace.isRemoved) continue;
      const values = await reading.valuesOf(trace, timeSlice);
      if (values === undefined) unread++;
      else counter.add(values, figures);
    }
    return { ...(await counter.toGroups(timeSlice)), unread };
  }

  #figuresOf(trace: TraceRecord, block: TraceBlock, slot: number): TraceFigures {
    const { status, has } = block.values(slot);
    return {
      durationMs: block.durationMs(slot),
      ttftMs: block.ttftMs(slot),
      tokensInput: block.tokensInput(slot),
      tokensOutput: block.tokensOutput(slot),
      costUsd: block.costUsd(slot),
      hasComputedCost: has.includes("computed_cost"),
      hasError: status === "ERROR",
      scores: has.includes("score") ? scoresOf(trace, this.#held.spans) : [],
    };
  }

  /** Pages of the matching traces, oldest first. */
  async *select(filter: TraceFilter, signal?: AbortSignal): AsyncGenerator<readonly TraceKey[], void> {
    const before = this.#held.traces.newestSequence + 1;
    let after = 0;
    for (;;) {
      const keys: TraceKey[] = [];
      await this.#run(filter, signal, () =>
        this.#search(
          filter,
          { after, before, isOldestFirst: true },
          ({ tenant, traceId, sequence }) => {
            after = sequence;
            return keys.push({ tenant, traceId }) < KEYS_PER_PAGE;
          },
          signal,
        ),
      );
      if (keys.length > 0) yield keys;
      if (keys.length < KEYS_PER_PAGE) return;
    }
  }

  /** Runs a query without expired traces, and limits how many run at a time. */
  #run<T>(filter: TraceFilter, signal: AbortSignal | undefined, query: () => Promise<T>): Promise<T> {
    const task = (): Promise<T> => {
      this.#eviction.evictExpired();
      return query();
    };
    // Text searches have a limit of their own, and a lookup by trace id is short.
    const isLimited = filter.trace_id === undefined && !needsSearch(filter);
    return isLimited ? this.#limited(task, signal) : task();
  }

  #visitAll(filter: TraceFilter, signal: AbortSignal | undefined, visit: TraceVisitor): Promise<void> {
    return this.#search(filter, {}, visit, signal);
  }

  async #summarize(page: readonly RankedTrace[], signal: AbortSignal | undefined): Promise<TraceSummary[]> {
    const timeSlice = new TimeSlice(this.#clock, signal);
    const summaries: TraceSummary[] = [];
    for (const { trace } of page) {
      if (timeSlice.isOver()) await timeSlice.next();
      if (!trace.isRemoved) summaries.push(summarizeTrace(trace, this.#held.spans, this.#clock.monotonic()));
    }
    return summaries;
  }
}
