import type { TraceSummary } from "../../../api-schema/trace.js";
import type { TraceKey } from "../../../interfaces.js";
import type { ListCursors } from "../../traces/list-cursor.js";
import { EvaluatedSpans } from "./evaluated-spans.js";
import type { OpenReadings } from "./open-readings.js";
import type { PendingChanges } from "./query-sql.js";
import { SessionQueries } from "./session-queries.js";
import type { StoreCore } from "./store-core.js";
import type { StoreRebuild } from "./store-rebuild.js";
import { StoredAttributes } from "./stored-attributes.js";
import { TextQueries } from "./text-queries.js";
import { TraceQueries } from "./trace-queries.js";
import { TraceReadings } from "./trace-readings.js";
import type { TraceSummaries } from "./trace-summaries.js";
import type { StoredTraceRow } from "./trace-tables.js";

/** What answers the questions to an open store. */
export interface StoreQuestions {
  readonly readings: TraceReadings;
  readonly queries: TraceQueries;
  readonly sessions: SessionQueries;
  readonly evaluated: EvaluatedSpans;
}

/** Options of {@link createStoreQuestions}. */
export interface StoreQuestionsOptions {
  readonly summaries: TraceSummaries;
  /** Those of an earlier store on the same file. */
  readonly readings: OpenReadings;
  readonly cursors: () => ListCursors;
  readonly pendingChanges: () => PendingChanges;
  /** Present while one is under way. */
  readonly rebuild: () => StoreRebuild | undefined;
  /** Makes all spans visible. Called before each question. */
  readonly refresh: () => void;
  readonly summaryOf: (key: TraceKey) => TraceSummary | undefined;
  /** See `StoreBounds`. */
  readonly maxReadBytes: number | undefined;
}

export function createStoreQuestions(
  core: StoreCore,
  { summaries, refresh, rebuild, maxReadBytes, ...options }: StoreQuestionsOptions,
): StoreQuestions {
  const find = (key: TraceKey): StoredTraceRow | undefined => {
    refresh();
    return summaries.find(key);
  };
  const summaryOf = (sequence: number): TraceSummary | undefined => summaries.stored(sequence);
  const queried = {
    ...core,
    ...options,
    refresh,
    summaryOf,
    newestSequence: () => core.buffer.traces.newestSequence,
  };
  const unindexed = () => rebuild()?.unindexed;
  const texts = new TextQueries({ ...core, unindexed, bounds: core.startBounds });
  const attributes = new StoredAttributes({ ...core, unindexed, maxReadBytes });
  const queries = new TraceQueries({ ...queried, texts, attributes, bounds: core.startBounds });
  return {
    readings: new TraceReadings({ ...core, readings: options.readings, find, summaryOf }),
    queries,
    sessions: new SessionQueries({
      ...queried,
      matching: (filter, signal) => queries.matching(filter, signal),
    }),
    evaluated: new EvaluatedSpans({
      ...core,
      findBuffered: (key) => summaries.findBuffered(key),
      find,
      summaryOf: options.summaryOf,
    }),
  };
}
