/**
 * The interfaces between the parts of the collector. No part imports another: `collector.ts` connects them through
 * these interfaces.
 */
import type { IncomingMessage } from "node:http";
import type { Span } from "@obspan/sdk/wire";
import type { GroupsQuery, TraceGroups } from "./api-schema/groups.js";
import type {
  Facets,
  Histogram,
  FacetsQuery,
  HistogramQuery,
  TraceFilter,
  TraceQuery,
  TraceSummary,
} from "./api-schema/trace.js";
import type { SessionQuery, SessionSummary, SessionTracesQuery } from "./api-schema/sessions.js";
import type { MaybePromise } from "./runtime/maybe-promise.js";
import type { BatchBytes, PipelineSpan } from "./span/pipeline-span.js";
import type { BatchContext, SpanFacts } from "./span/span-facts.js";
import type { StoredSpan } from "./span/stored-span.js";
import type { TraceRemains } from "./span/trace-remains.js";

/**
 * Reads the body of a request and parses it as JSON.
 *
 * @throws `ApiError` invalid_json, invalid_payload, invalid_encoding, unsupported_encoding, body_too_large, overloaded;
 * `RequestAborted`.
 */
export type ReadJsonBody = (request: IncomingMessage) => Promise<unknown>;

/** Anything with a timer or a socket. */
export interface Lifecycle {
  start(): void | Promise<void>;
  /** May be called twice, and before `start()`. */
  stop(): void | Promise<void>;
}

/** Consecutive spans of a batch from one application. A part ends where the next part begins. */
export interface BatchPart {
  /** The index of the first span. */
  readonly from: number;
  readonly context: BatchContext;
}

/** A validated batch in the ingestion queue. */
export interface ReceivedBatch extends BatchBytes {
  /** In order, the first from index 0. `POST /v1/telemetry` has one part, an OTLP request one per application. */
  readonly parts: readonly [BatchPart, ...BatchPart[]];
  readonly batchId: string | undefined;
  /** The spans, parsed from `body`. A queue may discard them and parse the body again. */
  readonly spans: readonly Span[];
  /** Ids generated for spans without an id, by index; undefined if all spans have ids. */
  readonly generatedSpanIds: readonly (string | undefined)[] | undefined;
}

/** The response of the queue to a batch (contract 2, "Admission"). */
export type Admission =
  | { readonly type: "accepted"; /** Number of evicted older spans. */ readonly evicted: number }
  /** A batch of this id was accepted before (contract 1): the sender got no response and sent it again. */
  | { readonly type: "repeated" }
  | { readonly type: "queue_full"; readonly usagePct: number; readonly hardLimitPct: number }
  | {
      readonly type: "batch_too_large";
      readonly unit: "spans" | "bytes";
      readonly size: number;
      readonly capacity: number;
    }
  /** The queue is elsewhere and does not answer. */
  | { readonly type: "unavailable" };

/** Fill level of the ingestion queue, in the terms of spec 3.2. */
export type PressureLevel = "normal" | "soft_limit_reached" | "hard_limit_active";

/** Part of a batch: the spans from `from` up to but excluding `to`. */
export interface BatchRange {
  readonly batch: ReceivedBatch;
  readonly from: number;
  readonly to: number;
}

/**
 * Spans taken from the queue, in flight until they are acknowledged or given back. Several leases may be in flight, and end in
 * any order. Only the first call of `ack` or `nack` counts.
 */
export interface Lease {
  readonly ranges: readonly BatchRange[];
  readonly spanCount: number;
  /** How often the spans were taken, this time included. More than 1 if a process may have processed them before. */
  readonly deliveries: number;
  /**
   * Ends the lease: the spans are processed, or lost. Returns how many of them this process accounts for: less than `spanCount`
   * if another process was given the spans meanwhile and acknowledged them first.
   */
  ack(): MaybePromise<number>;
  /** Gives the spans back. They are taken again, before newer ones. */
  nack(): MaybePromise<void>;
}

/** The ingestion queue (spec 3.2): in memory, or shared between processes. */
export interface IngestQueue {
  /** Connects a queue that outlives the process. */
  start?(): void;
  /** Admits a batch once, or returns why not. Does not throw if the queue is full. */
  offer(batch: ReceivedBatch): MaybePromise<Admission>;
  /**
   * Takes at most `maxSpans` spans from the head. The lease is empty if this process has none: a shared queue fetches spans
   * ahead, so that nothing waits here.
   */
  take(maxSpans: number): Lease;
  /** Calls `listener` when spans can be taken. */
  onArrival(listener: () => void): void;
  /** Fetches no more from a queue that other processes share. What was fetched can still be taken. */
  takeNoMore?(): Promise<void>;
  /** Discards the queue of this process. Resolves with the number of lost spans: 0 if the queue outlives the process. */
  abandon(): Promise<number>;
  /** The last known usage, if other processes share the queue. */
  usage(): QueueUsage;
}

/** Usage of the ingestion queue. */
export interface QueueUsage {
  /** Spans that this process has not taken. */
  readonly spans: number;
  readonly bytes: number;
  readonly capacitySpans: number;
  readonly capacityBytes: number;
  /** Percent of the capacity, by spans or by bytes, whichever is higher. */
  readonly usagePct: number;
  /** Spans taken by this process and not yet acknowledged. */
  readonly inFlight: number;
  /** Spans that this process can take now. */
  readonly waiting: number;
  readonly level: PressureLevel;
  /** False while a queue elsewhere does not answer. */
  readonly isAvailable: boolean;
  /** What this process did for a queue that others share; undefined for a queue of its own. */
  readonly shared?: SharedQueueCounts;
}

/** Counts of a process since its start, beside the ledger. */
export interface SharedQueueCounts {
  /** Batches taken over from a process that was given them and did not acknowledge them. */
  readonly redeliveredBatches: number;
  /** Entries put aside, because no process could finish them, and their spans. */
  readonly deadLetters: number;
  readonly deadSpans: number;
}

/** What collectors share beside the queue. */
export type SharedState = "rate_limits" | "model_calls" | "sessions" | "evaluations" | "live";

/** How well this process shares what it shares with others. */
export interface SharedUsage {
  /** False while what is shared cannot be asked for: this process decides alone. */
  readonly isAvailable: boolean;
  /** Decisions that it made alone since its start. */
  readonly alone: Readonly<Record<SharedState, number>>;
}

/** A token bucket that several processes share. It holds the requests of a minute, and refills evenly. */
export interface SharedBucket {
  readonly kind: "address" | "service";
  readonly name: string;
  readonly perMinute: number;
}

/** What is left in a bucket. */
export interface BucketLevel {
  readonly tokens: number;
  readonly isTaken: boolean;
}

/** The buckets of rate limits that several processes share. */
export interface SharedBuckets {
  /**
   * Takes a token from each bucket, up to the first empty one. Returns the levels of those that were looked at, or undefined if
   * this process has to decide alone.
   */
  take(buckets: readonly SharedBucket[]): MaybePromise<readonly BucketLevel[] | undefined>;
}

/** Claims on work that one of several processes does. */
export interface SharedClaims {
  /**
   * Claims work. Resolves with false if another process has done it, after waiting for one that does it now; with true also if this
   * process has to decide alone.
   *
   * @param name - names the work.
   * @param expiresInMs - time after which others may claim it.
   * @param signal - ends the wait: rejects with its reason.
   */
  claim(name: readonly string[], expiresInMs: number, signal: AbortSignal): Promise<boolean>;
  /** Ends a claim. Others may claim the work if it is not done. Never rejects. */
  end(name: readonly string[], isDone: boolean): Promise<void>;
}

/**
 * Traces that have changed in a store that several processes share. With `burst`, readers fetch the shown data again; `cleared` says that
 * there are new {@link SharedDeletions}.
 */
export type LiveChange = readonly TraceKey[] | "burst" | "cleared";

/** Tells processes what others have changed in the store that they share. */
export interface LiveBus {
  /** Tells the others. */
  publish(change: LiveChange): void;
  /** Calls `listener` with what others have changed. */
  subscribe(listener: (change: LiveChange) => void): void;
}

/** Traces that were deleted: one, with neither field all, without a trace id all of a tenant. */
export interface DeletedTraces {
  readonly tenant?: string | undefined;
  readonly traceId?: string | undefined;
}

/** Something of a trace, with when it arrived: what came over a shared queue by the clock of that, which is one for all processes. */
export interface ArrivedTrace extends TraceKey {
  readonly receivedAtMs: number;
}

/** Tells processes which traces others have deleted from the store that they share. */
export interface SharedDeletions {
  /** Tells the others. Resolves when they can know it; if that is not possible now, they are told later. */
  add(deleted: readonly DeletedTraces[]): Promise<void>;
  /** Resolves when all is known that others were told before, or when that is not possible now. */
  look(): Promise<void>;
  /** When a trace was last deleted, by the clock of the shared queue: what arrived later was not. -Infinity if it was not deleted. */
  lastOf(key: TraceKey): number;
  /** Calls `listener` when deletions of other processes have become known. */
  subscribe(listener: (isDeleted: (trace: ArrivedTrace) => boolean) => void): void;
}

/** Browser sessions that have ended before they expire. */
export interface EndedSessions {
  has(id: string): boolean;
  add(id: string): void;
}

/** What is known of a span that may arrive later, or elsewhere (contract 6). */
export type MarkKind =
  /** An `llm` span is its child. */
  | "parent of a call"
  /** It has a descendant of another kind below. */
  | "any"
  | "llm"
  | "embedding"
  | "retrieval"
  | "failed"
  | "llm below";

/** A fact about a span. */
export interface SpanMark extends TraceKey {
  readonly kind: MarkKind;
  readonly spanId: string;
}

/** Remembers marks of spans for several processes. */
export interface SharedMarks {
  /** Adds marks, and returns which of others are known: none if this process is on its own. */
  exchange(added: readonly SpanMark[], lookedUp: readonly SpanMark[]): MaybePromise<readonly SpanMark[]>;
}

/** A span that the collector created from a received span, such as an evaluation. */
export interface DerivedSpan {
  readonly span: Span;
  /** Batch context of the source span. */
  readonly context: BatchContext;
  /** Labels of the source span; the derived span does not carry them itself. */
  readonly labels: Pick<SpanFacts, "model" | "agent">;
}

/** Keeps the spans that reach the end of the pipeline, and makes the pipeline wait while it has no room for them. */
export type KeepSpans = (spans: readonly PipelineSpan[]) => Promise<void>;

/**
 * Receives spans at the end of the pipeline: the exporter, evaluation, the evaluation log, the live hub. It takes them at once,
 * or into a bounded queue of its own. The pipeline does not wait for a sink: a look-up in a store would delay all spans.
 */
export interface SpanSink {
  /** Names the sink in the log if it fails. */
  readonly name: string;
  offer(spans: readonly PipelineSpan[]): void;
}

/** The completion of a running span so far (contract 1). */
export interface PartialCompletion extends TraceKey {
  readonly spanId: string;
  /** Memory of the text. */
  readonly bytes: number;
  /** The text, redacted when it is read first; empty if nothing of it can be shown. */
  readonly text: () => string;
}

/** Outcome of spans offered for export (contract 4, the ledger). */
export type ExportOutcome =
  | "exported"
  | "queue_full"
  | "retries_exhausted"
  | "permanent"
  | "partial"
  | "shutdown";

/** Outcome of spans of an imported file (`obs_import_spans_total{outcome}`). */
export type ImportOutcome = "imported" | "refused" | "dropped";

/** The key of a trace in the store (contract 3). Equal ids of two tenants are two traces. */
export interface TraceKey {
  readonly tenant: string;
  readonly traceId: string;
}

/** A span, or a whole trace if `spanId` is null. */
export interface SpanReference extends TraceKey {
  readonly spanId: string | null;
}

/** By what evaluations of a span are filtered, beside their own values. */
export interface EvaluatedLabels {
  readonly model: string | null;
  readonly agent: string | null;
}

/** Why a trace or a span was evicted from the store (`obs_trace_store_evicted_total{reason}`). */
export type EvictionReason =
  | "max_traces"
  | "max_bytes"
  | "disk_max_bytes"
  | "ttl"
  | "pruned"
  | "span_cap"
  | "cleared";

/** Why a store on disk lost spans that it had taken (`obs_trace_store_unsaved_spans_total{reason}`). */
export type UnsavedReason = "disk_full" | "io_error" | "thread_died" | "corrupt_chunk" | "file_gone";

/** A page of traces in the requested order. */
export interface TracePage {
  readonly traces: readonly TraceSummary[];
  readonly nextCursor: string | null;
}

/** The key of a session (contract 9). Equal ids of two tenants are two sessions. */
export interface SessionKey {
  readonly tenant: string;
  readonly sessionId: string;
}

/** A score of a session, and the trace that has it. */
export interface SessionScore {
  readonly traceId: string;
  readonly score: number;
  readonly label: string | null;
}

/** The lowest and the highest score of a type in a session: a store does not know which is the worst. */
export interface ScoreRange {
  readonly type: string;
  readonly lowest: SessionScore;
  readonly highest: SessionScore;
}

/** The figures of a session over all its traces. */
export interface StoredSession extends Omit<SessionSummary, "scores" | "worst_score"> {
  readonly scoreRanges: readonly ScoreRange[];
}

/** A page of sessions in the requested order. */
export interface SessionPage {
  readonly sessions: readonly StoredSession[];
  readonly nextCursor: string | null;
}

/** A session with a page of its traces. */
export interface SessionTraces {
  readonly session: StoredSession;
  readonly traces: readonly TraceSummary[];
  readonly nextCursor: string | null;
}

/**
 * The spans of a trace in pages of at most 256 KiB of JSON, or of one longer span. May be iterated more than once. The signal
 * of {@link TraceStore.get} ends an iteration: it rejects with the reason.
 */
export type SpanPages = AsyncIterable<readonly StoredSpan[]>;

/** A complete trace. */
export interface StoredTrace {
  readonly summary: TraceSummary;
  /** In order of start time, ties by arrival. Read them with the functions of `stored-span.ts`. */
  readonly spans: SpanPages;
  /** In order of arrival. Exports use this order, so that imports preserve it. */
  readonly received: SpanPages;
  /** What the spans do not tell; undefined if they tell all. An export writes it with the first span. */
  readonly remains: TraceRemains | undefined;
  /** Releases the memory of the trace, which is held until then even after eviction. May be called twice. */
  release(): void;
}

/** A span whose memory is held until `release()`. */
export interface HeldSpan extends StoredSpan {
  /** Releases the memory of the span, like {@link StoredTrace.release}. */
  release(): void;
}

/** Why the collector accepts no batch at present: it stops, or its user has paused it. */
export type IngestClosure = "shutting_down" | "paused";

/** Options of {@link TraceStore.append}. */
export interface AppendOptions {
  /** The spans come from a file. An import restores an evicted trace completely, so its spans are not late. */
  readonly isImport?: boolean;
  /**
   * What a file tells of traces beside their spans. Applied to a trace that this call creates, and ignored for a trace that
   * exists: importing a file twice, or beside its trace, does not count dropped spans twice.
   */
  readonly restored?: readonly RestoredTrace[];
}

/** A trace with its {@link TraceRemains}. */
export interface RestoredTrace extends TraceKey {
  readonly remains: TraceRemains;
}

/** Usage of the trace store. A store in another thread or process answers the last known values. */
export interface TraceStoreUsage {
  readonly traces: number;
  readonly spans: number;
  /** Memory of spans, including dead space. */
  readonly memoryBytes: number;
  /** Size of the files; null if the store is not on disk. */
  readonly diskBytes: number | null;
  /** Bytes that were appended and are not yet saved. */
  readonly pendingBytes: number;
  /** Evaluation spans dropped because their trace was already evicted (contract 3). */
  readonly lateEvaluations: number;
  /** Evictions since the start, in traces, except `span_cap`, which counts spans. */
  readonly evicted: Readonly<Record<EvictionReason, number>>;
  /** Spans lost since the start. */
  readonly unsaved: Readonly<Record<UnsavedReason, number>>;
  /** `degraded` while the store cannot keep what it is given. */
  readonly state: "ok" | "degraded";
  /** Why it is degraded. */
  readonly reason: string | null;
  /** Arrival of the oldest span of the oldest trace (wall clock); null if there is no trace. */
  readonly oldestAtMs: number | null;
  /**
   * The share of a file that is indexed again, from 0 to 1, because a newer version needs other tables. Until then queries answer
   * what is indexed. Null if all is.
   */
  readonly rebuildProgress: number | null;
}

/** What a store on disk holds, and how large its file is. */
export interface StoreFileInfo {
  readonly path: string;
  readonly storeId: string;
  readonly createdAtMs: number;
  readonly formatVersion: number;
  readonly sqliteVersion: string;
  readonly driver: "node:sqlite" | "wasm";
  readonly traces: number;
  readonly spans: number;
  readonly chunks: number;
  /** Spans in the chunks, also those that were replaced or removed. */
  readonly chunkSpans: number;
  /** Bytes of the chunks before compression. */
  readonly rawBytes: number;
  readonly evaluations: number;
  /** The last spans of the oldest and of the newest trace; null without traces. */
  readonly oldestMs: number | null;
  readonly newestMs: number | null;
  readonly fileBytes: number;
  readonly logBytes: number;
  /** Space that is held for work on a full disk. */
  readonly reserveBytes: number;
  readonly pages: number;
  readonly freePages: number;
  readonly pageBytes: number;
  /** What the file system has left; Infinity if it does not tell. */
  readonly freeDiskBytes: number;
}

/** The result of {@link StoreMaintenance.verify}. */
export interface StoreVerification {
  readonly chunks: number;
  readonly damagedChunks: number;
  /** One line for each damage, at most 100. Empty if the file is sound. */
  readonly problems: readonly string[];
}

/** The size of the file before and after {@link StoreMaintenance.compact}. */
export interface StoreCompaction {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** A copy of the file that is being read. */
export interface StoreBackup {
  /** Size of the whole copy. */
  readonly bytes: number;
  /** The copy, in order. End it with `return()` if it is not read to its end. */
  readonly parts: AsyncIterableIterator<Uint8Array>;
}

/** A saved view as the file of a store has it. */
export interface StoredView {
  readonly id: string;
  readonly json: string;
}

/** A long task on the file of a store. */
export type StoreTask = "compact" | "verify" | "prune" | "backup" | "rebuild";

/**
 * Looks after the file of a store on disk. Spans are stored meanwhile. One task runs at a time.
 *
 * @throws `ApiError` `store_busy` if another task runs; `trace_store_unavailable` if the thread of the store does not answer.
 */
export interface StoreMaintenance {
  info(signal?: AbortSignal): Promise<StoreFileInfo>;
  /** The task under way. */
  task(): StoreTask | null;
  /** Gives unused space back to the file system. */
  compact(signal?: AbortSignal): Promise<StoreCompaction>;
  /** Reads everything and checks it. */
  verify(signal?: AbortSignal): Promise<StoreVerification>;
  /** Removes the traces without a span for that time. Resolves with their number. */
  prune(olderThanSeconds: number, signal?: AbortSignal): Promise<number>;
  /**
   * Begins a copy of the file as it is now. A copy that is not read for 30 seconds ends.
   *
   * @param views - the saved views, which the copy then has too.
   */
  backup(signal?: AbortSignal, views?: readonly StoredView[]): Promise<StoreBackup>;
  /** The saved views in the file: those of its last backup, or of the one that it was restored from. */
  views(signal?: AbortSignal): Promise<readonly StoredView[]>;
}

/** A kept evaluation span. */
export interface StoredEvaluation {
  /** Increases with every evaluation that the store keeps. */
  readonly sequence: number;
  /** As received. */
  readonly span: Span;
  readonly context: BatchContext;
  /** The labels of a span that the collector created, which its JSON does not have. */
  readonly labels?: Pick<SpanFacts, "model" | "agent"> | undefined;
}

/** A finished step of the statistics, as bytes that another process can read. */
export interface ClosedStep {
  /** Length of the step: 10 or 60. */
  readonly resolutionSeconds: number;
  /** Start of the step, in seconds since the Unix epoch. */
  readonly startSeconds: number;
  /** Format of `data`, which depends on the process that wrote the step. */
  readonly format: number;
  readonly data: Uint8Array;
}

/** Keeps finished steps of the statistics for the next process. */
export interface StatsArchive {
  /** Replaces steps of the same length and start. Resolves with false if the steps cannot be kept now. */
  putStatsSteps(steps: readonly ClosedStep[]): Promise<boolean>;
  /** Returns some of the steps of one length that began before a time, the newest first; none after the last. */
  statsSteps(resolutionSeconds: number, beforeSeconds: number): Promise<readonly ClosedStep[]>;
}

/** A finished step of another process. It does not change. */
export interface WrittenStep extends ClosedStep {
  /** Names the process. */
  readonly writer: string;
  /** When it was written, by the clock of the archive. */
  readonly writtenMs: number;
}

/** Takes the next steps. The ones after them are read when it has ended. */
export type AddSteps = (steps: readonly WrittenStep[]) => Promise<void>;

/** Keeps the finished steps of several processes: a process puts each of its steps once. */
export interface SharedStatsArchive extends StatsArchive {
  /**
   * Reads some of the steps of 10 s of other processes that began and were written at given times or later, without known ones. A few
   * are in memory at a time.
   *
   * @returns whether there are more.
   */
  written(
    query: {
      readonly sinceMs: number;
      readonly fromSeconds: number;
      readonly known: readonly Pick<WrittenStep, "writer" | "startSeconds">[];
    },
    add: AddSteps,
  ): Promise<boolean>;
  /** Reads the minutes of other processes in a range of time; shorter steps of those that ended before they had written a minute. */
  minutes(fromSeconds: number, beforeSeconds: number, add: AddSteps): Promise<void>;
}

/**
 * Stores recent traces (spec 4.9 rule 2). One test suite holds every implementation (`test/store/contract`). A query whose
 * signal is aborted rejects with the reason.
 */
export interface TraceStore extends Lifecycle {
  /**
   * Saves what was appended, and stops. May be called twice, and before `start()`.
   *
   * @param deadlineMs - monotonic time at which what is not saved is given up and counted as unsaved.
   */
  stop(deadlineMs?: number): void | Promise<void>;
  /**
   * Adds spans to their traces and replaces spans of the same id. Waits while the store has no room for them. Every query
   * that begins later sees them. What is evicted to make room is counted in {@link usage}.
   */
  append(spans: readonly PipelineSpan[], options?: AppendOptions): Promise<void>;
  /**
   * Resolves when all appended spans are as durable as the store makes them, and are counted in {@link usage}, unless other
   * processes share the store: that is counted now and then.
   */
  flush(): Promise<void>;
  get(key: TraceKey, signal?: AbortSignal): Promise<StoredTrace | undefined>;
  /**
   * Returns several traces in the order of their keys, without those that are not there. A trace can be read until the next one is
   * asked for. Absent if one question for many is no faster.
   */
  getEach?(keys: readonly TraceKey[], signal?: AbortSignal): AsyncIterable<StoredTrace>;
  /** Returns the summaries of several traces, in the order of the keys; undefined for a trace that is not there. */
  summaries(keys: readonly TraceKey[], signal?: AbortSignal): Promise<readonly (TraceSummary | undefined)[]>;
  /** The tenants that have a trace of that id, newest trace first. More than one only with multi-tenancy. */
  tenantsOf(traceId: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Returns one span. The caller must release it. */
  getSpan(key: TraceKey, spanId: string, signal?: AbortSignal): Promise<HeldSpan | undefined>;
  /**
   * Returns the labels of spans, and of traces their agent and first model, in the order of the references; undefined for what
   * is not there. One question, however many they are. Does not read the text of a span that arrived recently.
   */
  labelsOf(
    references: readonly SpanReference[],
    signal?: AbortSignal,
  ): Promise<readonly (EvaluatedLabels | undefined)[]>;
  /**
   * Returns the beginnings of the outputs of spans, in the order of the references; null for a span without output, undefined
   * for what is not there, and for traces. One question, however many they are.
   */
  outputPreviews(
    references: readonly SpanReference[],
    signal?: AbortSignal,
  ): Promise<readonly (string | null | undefined)[]>;
  /**
   * Lists matching traces. Default order: newest first, by arrival of their first span.
   *
   * @throws `ApiError` `invalid_query` if the cursor is from another store or another order. Like the two methods
   * below, also if a time is malformed.
   */
  list(query: TraceQuery, signal?: AbortSignal): Promise<TracePage>;
  facets(query: FacetsQuery, signal?: AbortSignal): Promise<Facets>;
  histogram(query: HistogramQuery, signal?: AbortSignal): Promise<Histogram>;
  /** The figures of the matching traces by value of a key. @throws `ApiError` `invalid_query` also for an unknown key. */
  groups(query: GroupsQuery, signal?: AbortSignal): Promise<TraceGroups>;
  /**
   * Lists the sessions that have a matching trace. Default order: by the latest end of a trace, the latest first.
   *
   * @throws `ApiError` like {@link list}.
   */
  sessions(query: SessionQuery, signal?: AbortSignal): Promise<SessionPage>;
  /**
   * Returns a session with a page of its traces; undefined if there is none.
   *
   * @throws `ApiError` `invalid_query` if the cursor is from another store or another order.
   */
  session(
    key: SessionKey,
    query: SessionTracesQuery,
    signal?: AbortSignal,
  ): Promise<SessionTraces | undefined>;
  /** The tenants that have a session of that id, in order of their names. More than one only with multi-tenancy. */
  tenantsOfSession(sessionId: string, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * Returns all matching traces in order of arrival, in pages that are not empty. Traces that arrive after the first page was
   * asked for are left out. Errors are those of {@link list}, from the first page on.
   */
  select(filter: TraceFilter, signal?: AbortSignal): AsyncIterable<readonly TraceKey[]>;
  /**
   * Returns the evaluation spans that outlive the process, oldest first.
   *
   * @param after - the sequence of the last one of the page before; 0 for the first page.
   */
  evaluations(after: number, limit: number): Promise<readonly StoredEvaluation[]>;
  /** Resolves with false if the trace does not exist. */
  remove(key: TraceKey): Promise<boolean>;
  /** Removes all traces of a tenant. Absent if they can only be removed one by one. */
  removeTenant?(tenant: string): Promise<void>;
  /** Removes all traces. Resolves with their number. */
  clear(): Promise<number>;
  usage(): TraceStoreUsage;
}
