import type { GroupsQuery, TraceGroups } from "../../../api-schema/groups.js";
import type { SessionQuery, SessionTracesQuery } from "../../../api-schema/sessions.js";
import type {
  Facets,
  Histogram,
  FacetsQuery,
  HistogramQuery,
  TraceFilter,
  TraceQuery,
  TraceSummary,
} from "../../../api-schema/trace.js";
import type {
  ClosedStep,
  EvaluatedLabels,
  SessionKey,
  SessionPage,
  SessionTraces,
  SpanReference,
  StoreCompaction,
  StoredEvaluation,
  StoredView,
  StoreFileInfo,
  StoreVerification,
  TraceKey,
  TracePage,
  TraceStoreUsage,
} from "../../../interfaces.js";
import type { LogContext } from "../../../logging/logger.js";
import type { BatchContext } from "../../../span/span-facts.js";
import type { TraceRemains } from "../../../span/trace-remains.js";

/** What owns the file of traces, in the storage thread. */
export interface StorageEngine {
  readonly commands: StorageCommands;
  /**
   * Adds spans. Called in the order in which they were appended.
   *
   * @param records - see `readRecords`. Reused after the call: the engine copies what it keeps.
   * @throws any error: the spans are counted as unsaved.
   */
  append(records: Buffer): void;
  /** True while work waits for the next tick. */
  readonly isBusy: boolean;
  /** Cheap: called after each append and each command. */
  usage(): EngineUsage;
  /** Commits, sweeps, evicts. Called every 20 ms while the engine is busy, and each second otherwise. */
  tick(): void;
  /** Commits and closes the file. Called once. */
  close(): Promise<void>;
}

/**
 * Questions to the engine. Arguments and results are structured clones. Each sees all spans that were appended before it.
 * Long ones give way to others, so that appends go on meanwhile, and end when their signal is aborted.
 */
export interface StorageCommands {
  /** Commits all spans. */
  flush(): Promise<void>;
  summaries(keys: readonly TraceKey[], signal: AbortSignal): Promise<readonly (TraceSummary | undefined)[]>;
  /** Opens a trace as it is now. {@link closeTrace} must follow. */
  openTrace(key: TraceKey, signal: AbortSignal): Promise<OpenedTrace | undefined>;
  /** The spans from one position of an order on: at most 256 KiB, or one span. */
  readPage(
    reading: number,
    order: SpanOrder,
    from: number,
    signal: AbortSignal,
  ): Promise<SpanPage & { readonly next: number | null }>;
  closeTrace(reading: number): Promise<void>;
  getSpan(key: TraceKey, spanId: string, signal: AbortSignal): Promise<SpanPage | undefined>;
  labelsOf(
    references: readonly SpanReference[],
    signal: AbortSignal,
  ): Promise<readonly (EvaluatedLabels | undefined)[]>;
  outputPreviews(
    references: readonly SpanReference[],
    signal: AbortSignal,
  ): Promise<readonly (string | null | undefined)[]>;
  tenantsOf(traceId: string, signal: AbortSignal): Promise<readonly string[]>;
  list(query: TraceQuery, signal: AbortSignal): Promise<TracePage>;
  facets(query: FacetsQuery, signal: AbortSignal): Promise<Facets>;
  histogram(query: HistogramQuery, signal: AbortSignal): Promise<Histogram>;
  sessions(query: SessionQuery, signal: AbortSignal): Promise<SessionPage>;
  session(
    key: SessionKey,
    query: SessionTracesQuery,
    signal: AbortSignal,
  ): Promise<SessionTraces | undefined>;
  tenantsOfSession(sessionId: string, signal: AbortSignal): Promise<readonly string[]>;
  groups(query: GroupsQuery, signal: AbortSignal): Promise<TraceGroups>;
  /** Selects the matching traces as they are now. {@link closeSelect} must follow. */
  openSelect(filter: TraceFilter, signal: AbortSignal): Promise<number>;
  /** The next keys, oldest first; none after the last. */
  selectPage(select: number, signal: AbortSignal): Promise<readonly TraceKey[]>;
  closeSelect(select: number): Promise<void>;
  remove(key: TraceKey): Promise<boolean>;
  clear(): Promise<number>;
  evaluations(after: number, limit: number): Promise<readonly StoredEvaluation[]>;
  putStatsSteps(steps: readonly ClosedStep[]): Promise<boolean>;
  /** At most 256 KiB, or one step. */
  statsSteps(resolutionSeconds: number, beforeSeconds: number): Promise<readonly ClosedStep[]>;
  info(signal: AbortSignal): Promise<StoreFileInfo>;
  compact(signal: AbortSignal): Promise<StoreCompaction>;
  verify(signal: AbortSignal): Promise<StoreVerification>;
  prune(olderThanSeconds: number, signal: AbortSignal): Promise<number>;
  /** Begins a copy of the file as it is now. {@link closeBackup} must follow. @param views - written to the file before. */
  openBackup(
    views: readonly StoredView[] | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly backup: number; readonly size: number }>;
  views(signal: AbortSignal): Promise<readonly StoredView[]>;
  /** The next bytes of a copy; undefined after the last. */
  readBackup(backup: number, signal: AbortSignal): Promise<BackupPart | undefined>;
  closeBackup(backup: number): Promise<void>;
}

/** Bytes of a backup. */
export interface BackupPart {
  /** Transferred: memory of its own. */
  readonly bytes: ArrayBuffer;
}

/** A trace that is read page by page. */
export interface OpenedTrace {
  readonly reading: number;
  readonly summary: TraceSummary;
  readonly remains: TraceRemains | undefined;
}

/** By start time, ties by arrival; or by arrival. */
export type SpanOrder = "start" | "arrival";

/** The JSON of some spans. */
export interface SpanPage {
  /** Transferred: memory of its own. */
  readonly bytes: ArrayBuffer;
  readonly spans: readonly PageSpan[];
  readonly contexts: readonly BatchContext[];
}

/** Where a span is in a page. */
export interface PageSpan {
  readonly start: number;
  readonly end: number;
  /** Index in {@link SpanPage.contexts}. */
  readonly context: number;
  readonly isAbandoned: boolean;
  /** False in a trace that lost no span: nobody asks there. */
  readonly isWrapper: boolean;
  readonly computedCostUsd?: number | undefined;
}

/** Usage of the engine; counts are since its start. */
export interface EngineUsage extends TraceStoreUsage {
  readonly diskBytes: number;
  /** Applied and not yet committed. */
  readonly pendingSpans: number;
}

/** What the engine may use of the main thread. */
export interface EngineHost {
  log(level: "debug" | "info" | "warning" | "error", message: string, context?: LogContext): void;
}
