import { Type, type Static } from "typebox";
import { EvaluationSchema, type Evaluation } from "./evaluations.js";
import { LiveMetricsSchema, type LiveMetrics } from "./stats.js";
import { TraceSummarySchema, type TraceSummary } from "./trace.js";

const Counts = Type.Record(Type.String(), Type.Integer());

/** State of the collector, sent once a second (contract 3, `GET /v1/live`). */
export const LiveStatusSchema = Type.Object(
  {
    version: Type.String(),
    started_at: Type.String({
      description: "When this process started, by its own clock. Another time means another process.",
    }),
    uptime_seconds: Type.Number(),
    unchanged_ms: Type.Optional(
      Type.Integer({
        description:
          "Milliseconds since the last change of a trace or an evaluation, at least. An answer that was asked for after that " +
          "contains all that happened before this connection.",
      }),
    ),
    ready: Type.Boolean(),
    reasons: Type.Array(Type.String(), { description: "Reasons why the collector is not ready." }),
    spans_per_second: Type.Number({ description: "Spans received in the last second." }),
    queue_pct: Type.Number(),
    queue_spans: Type.Integer(),
    queue_capacity: Type.Integer(),
    ledger: Type.Object({
      received: Type.Integer(),
      accepted: Type.Integer(),
      processed: Type.Integer(),
      queued: Type.Integer(),
      in_flight: Type.Integer(),
      rejected: Counts,
      dropped: Counts,
    }),
    store: Type.Union(
      [
        Type.Object({
          traces: Type.Integer(),
          spans: Type.Integer(),
          bytes: Type.Integer({ description: "Memory." }),
          max_traces: Type.Union([Type.Integer(), Type.Null()], {
            description: "Null if only the size of the files limits the store.",
          }),
          disk_bytes: Type.Union([Type.Integer(), Type.Null()], {
            description: "Size of the files; null if traces are in memory only.",
          }),
          disk_max_bytes: Type.Union([Type.Integer(), Type.Null()], {
            description: "`trace_store.disk_max_bytes`; null if traces are in memory only, or in ClickHouse.",
          }),
          ttl_seconds: Type.Integer({
            description: "Seconds that a trace is kept after its last span; 0: traces do not expire.",
          }),
          oldest_at: Type.Union([Type.String(), Type.Null()], {
            description: "Arrival of the oldest trace, RFC 3339; null if there is none.",
          }),
          unsaved_spans: Type.Integer({
            description: "Spans that the store could not keep, since the start.",
          }),
          state: Type.Union([Type.Literal("ok"), Type.Literal("degraded")], {
            description: "`degraded` while the store cannot keep the spans that it is given.",
          }),
          reason: Type.Union([Type.String(), Type.Null()], { description: "Why it is degraded." }),
          rebuild_progress: Type.Union([Type.Number(), Type.Null()], {
            description:
              "The share of the file that is indexed again, from 0 to 1, after a change of its format. Until then older traces are " +
              "missing in lists. Null if the index is complete.",
          }),
        }),
        Type.Null(),
      ],
      { description: "Null if the trace store is off." },
    ),
  },
  { $id: "LiveStatus" },
);
export type LiveStatus = Static<typeof LiveStatusSchema>;

/** The reason why a client must fetch the shown data again. */
export const LiveResetSchema = Type.Object(
  {
    reason: Type.Union([Type.Literal("gap"), Type.Literal("burst"), Type.Literal("cleared")], {
      description:
        "`gap`: the last event that the client saw is too old. `burst`: too many traces changed or evaluations ended at " +
        "once. `cleared`: traces were deleted, or the index of the file is complete after a rebuild.",
    }),
  },
  { $id: "LiveReset" },
);
export type LiveReset = Static<typeof LiveResetSchema>;

/** The completion of a running span so far, sent to readers of one trace. */
export const PartialCompletionSchema = Type.Object(
  {
    tenant: Type.String(),
    trace_id: Type.String(),
    span_id: Type.String(),
    completion_partial: Type.String({
      description:
        "The last 8 KiB of the completion, up to its last white space. It replaces the previous text of the span. An " +
        "ellipsis at its start tells that text before it is left out.",
    }),
  },
  { $id: "PartialCompletion" },
);
export type PartialCompletionEvent = Static<typeof PartialCompletionSchema>;

/** The events of `GET /v1/live` by name, unless it is asked for one trace. */
export const LIVE_EVENT_SCHEMAS = {
  trace: TraceSummarySchema,
  status: LiveStatusSchema,
  metrics: LiveMetricsSchema,
  evaluation: EvaluationSchema,
  reset: LiveResetSchema,
} as const;

/** An event of `GET /v1/live`. */
export type LiveEvent =
  | { type: "trace"; data: TraceSummary }
  | { type: "status"; data: LiveStatus }
  | { type: "metrics"; data: LiveMetrics }
  | { type: "evaluation"; data: Evaluation }
  | { type: "reset"; data: LiveReset };
