/**
 * The small interfaces between the parts of the collector. No part imports another: `collector.ts` joins them
 * through these.
 */
import type { Span } from "@obspan/sdk/wire";
import type {
  Facets,
  Histogram,
  HistogramQuery,
  TraceFilter,
  TraceQuery,
  TraceSummary,
} from "./api-schema/trace.js";
import type { MaybePromise } from "./runtime/maybe-promise.js";
import type { BatchBytes, PipelineSpan } from "./span/pipeline-span.js";
import type { BatchContext } from "./span/span-facts.js";
import type { StoredSpan } from "./span/stored-span.js";

/** Anything with a timer or a socket. */
export interface Lifecycle {
  start(): void | Promise<void>;
  /** Safe twice, and before `start()`. */
  stop(): void | Promise<void>;
}

/** Spans of a batch that follow each other and come from one application: up to the first of the next part. */
export interface BatchPart {
  /** The index of the first one. */
  readonly from: number;
  readonly context: BatchContext;
}

/** A batch whose shape has been checked, as it waits in the ingestion queue. */
export interface ReceivedBatch extends BatchBytes {
  /** In order, the first from 0: one of `POST /v1/telemetry`, one for each application of an OTLP request. */
  readonly parts: readonly [BatchPart, ...BatchPart[]];
  readonly batchId: string | undefined;
  /** The spans, parsed from `body`. A queue may let go of them and parse the body again. */
  readonly spans: readonly Span[];
  /** Ids generated for the spans that arrived without one, by index; undefined where all have their own. */
  readonly generatedSpanIds: readonly (string | undefined)[] | undefined;
}

/** What the queue says to a batch (contract 2, "Admission"). */
export type Admission =
  | { readonly type: "accepted"; /** Older spans that had to go. */ readonly evicted: number }
  | { readonly type: "queue_full"; readonly usagePct: number; readonly hardLimitPct: number }
  | {
      readonly type: "batch_too_large";
      readonly unit: "spans" | "bytes";
      readonly size: number;
      readonly capacity: number;
    };

/** How full the ingestion queue is, in the words of spec 3.2. */
export type PressureLevel = "normal" | "soft_limit_reached" | "hard_limit_active";

/** Part of a batch: the spans from `from` up to, not including, `to`. */
export interface BatchRange {
  readonly batch: ReceivedBatch;
  readonly from: number;
  readonly to: number;
}

/** Spans taken from the queue, in flight until they are acknowledged. */
export interface Lease {
  readonly ranges: readonly BatchRange[];
  readonly spanCount: number;
  /** The spans are done with: processed, or counted as dropped. */
  ack(): Promise<void>;
  /** The spans go back to the head of the queue. */
  nack(): Promise<void>;
}

/** The ingestion queue (spec 3.2): memory now, shared between processes later. */
export interface IngestQueue {
  /** Admits a batch, or says why not. Never throws for want of room. */
  offer(batch: ReceivedBatch): MaybePromise<Admission>;
  /** At most `maxSpans` spans from the head; an empty lease where there are none. */
  take(maxSpans: number): Promise<Lease>;
  /** Calls `listener` whenever spans have been admitted. */
  onArrival(listener: () => void): void;
  /** Gives up what waits in this process, and says how many spans are lost by that: none where they outlive it. */
  abandon(): Promise<number>;
  /** As last known, where others share the queue. */
  usage(): QueueUsage;
}

/** How full the ingestion queue is. */
export interface QueueUsage {
  readonly spans: number;
  readonly bytes: number;
  readonly capacitySpans: number;
  readonly capacityBytes: number;
  /** Percent of the capacity, by spans or by bytes, whichever is more. */
  readonly usagePct: number;
  /** Spans taken and not yet acknowledged. */
  readonly inFlight: number;
  readonly level: PressureLevel;
}

/** Takes spans at the end of the pipeline: the trace store, the exporter, evaluation, the live hub. */
export interface SpanSink {
  /** For the log, when it fails. */
  readonly name: string;
  offer(spans: readonly PipelineSpan[]): void | Promise<void>;
}

/** What became of spans that were offered for export (contract 4, the ledger). */
export type ExportOutcome =
  "exported" | "queue_full" | "retries_exhausted" | "permanent" | "partial" | "shutdown";

/** What became of spans of a file that was imported (`obs_import_spans_total{outcome}`). */
export type ImportOutcome = "imported" | "refused" | "dropped";

/** The store's key (contract 3): two tenants' equal ids are two traces. */
export interface TraceKey {
  readonly tenant: string;
  readonly traceId: string;
}

/** Why a trace or a span left the store (`obs_trace_store_evicted_total{reason}`). */
export type EvictionReason = "max_traces" | "max_bytes" | "ttl" | "span_cap" | "cleared";

/** What `append` made go: traces, except `span_cap`, which counts spans. */
export type Evictions = Readonly<Partial<Record<EvictionReason, number>>>;

/** A page of traces, in the order that was asked for. */
export interface TracePage {
  readonly traces: readonly TraceSummary[];
  readonly nextCursor: string | null;
}

/** One trace, whole. */
export interface StoredTrace {
  readonly summary: TraceSummary;
  /** In order of start, ties by arrival. They are read by the functions of `stored-span.ts`. */
  readonly spans: readonly StoredSpan[];
  /** In order of arrival: what an export writes, so that an import finds them so again. */
  readonly received: readonly StoredSpan[];
  /** Ends the reading, which holds the memory of the trace even where it is evicted meanwhile. Safe twice. */
  release(): void;
}

/** One span, and its memory. */
export interface HeldSpan extends StoredSpan {
  /** Ends the reading, as that of {@link StoredTrace}. */
  release(): void;
}

/** What is known of spans beyond what they say themselves. */
export interface AppendOptions {
  /** They come out of a file: a trace that was evicted before is there whole again, and not late. */
  readonly isImport?: boolean;
}

/** How much the store holds. */
export interface TraceStoreUsage {
  readonly traces: number;
  readonly spans: number;
  /** Memory held for spans, dead space in it included. */
  readonly bytes: number;
  /** Evaluation spans that came after their trace had been evicted: dropped (contract 3). */
  readonly lateEvaluations: number;
  /** Since the start; traces, except `span_cap`, which counts spans. */
  readonly evicted: Readonly<Record<EvictionReason, number>>;
}

/** Keeps recent traces (spec 4.9 rule 2). Memory now, SQLite and Redis later; one suite of tests for all of them. */
export interface TraceStore extends Lifecycle {
  /** Adds spans to their traces, replacing those of the same span id. Makes room by letting the oldest traces go. */
  append(spans: readonly PipelineSpan[], options?: AppendOptions): Promise<Evictions>;
  get(key: TraceKey): Promise<StoredTrace | undefined>;
  summary(key: TraceKey): Promise<TraceSummary | undefined>;
  /** Who has a trace of that id, the newest trace first: several may, where the collector is multi-tenant. */
  tenantsOf(traceId: string): Promise<readonly string[]>;
  /** One span, and its memory, which has to be released. */
  getSpan(key: TraceKey, spanId: string): Promise<HeldSpan | undefined>;
  /** What a span can be filtered by, without reading it. */
  spanLabels(
    key: TraceKey,
    spanId: string,
  ): Promise<{ model: string | null; agent: string | null } | undefined>;
  /**
   * Traces that match; newest first, which is the order in which their first spans came, unless another is asked for.
   *
   * @throws `ApiError` `invalid_query` where the cursor is not one of this store's, or of another order, and, as the
   * two below, where a time cannot be read.
   */
  list(query: TraceQuery, signal?: AbortSignal): Promise<TracePage>;
  facets(filter: TraceFilter, signal?: AbortSignal): Promise<Facets>;
  histogram(query: HistogramQuery, signal?: AbortSignal): Promise<Histogram>;
  /** All traces that match, in the order in which they came. */
  select(filter: TraceFilter, signal?: AbortSignal): Promise<readonly TraceKey[]>;
  /** False where there was no such trace. */
  remove(key: TraceKey): Promise<boolean>;
  /** Empties the store, and says how many traces there were. */
  clear(): Promise<number>;
  usage(): TraceStoreUsage;
}
