import type { ErrorCategory } from "../../span/error-category.js";
import { copyText } from "../../span/kept-text.js";
import { formatInstant, parseTimestamp } from "../../span/timestamp.js";
import type { DroppedRemains, RootRemains, TraceRemains } from "../../span/trace-remains.js";
import { DroppedSpans, type RootSpan } from "./dropped-spans.js";
import { NO_SERIAL } from "./span-labels.js";
import { TraceTotals } from "./trace-totals.js";
import type { TraceRecord } from "./trace-record.js";

/** The id of a root from a file, which does not have it. No span has this hash in practice. */
const NO_ID = { lo: 0, hi: 0 };

/** What the spans of a trace do not tell; undefined if they tell all. */
export function remainsOf(
  trace: Pick<TraceRecord, "isPartial" | "dropped" | "sessionId" | "userId">,
): TraceRemains | undefined {
  const { isPartial, dropped, sessionId, userId } = trace;
  if (!isPartial && dropped === undefined) return undefined;
  return {
    ...(isPartial && { partial: true }),
    ...(sessionId !== "" && { session_id: sessionId }),
    ...(userId !== "" && { user_id: userId }),
    ...(dropped !== undefined && { dropped: droppedRemainsOf(dropped) }),
  };
}

function droppedRemainsOf({ count, totals, root }: DroppedSpans): DroppedRemains {
  const state = totals.toState();
  const { earliestOffsetMs = 0, ttftMs, ttftOffsetMs = 0 } = state;
  return {
    count,
    tokens_input: state.tokensInput,
    tokens_output: state.tokensOutput,
    cost_usd: state.costUsd,
    ...(state.hasComputedCost && { cost_computed: true }),
    llm_calls: state.llmCalls,
    tool_calls: state.toolCalls,
    error_count: state.errorCount,
    models: state.models,
    providers: state.providers,
    tools: state.tools,
    prompts: state.prompts,
    agent: state.agent,
    error_type: state.errorCategory as ErrorCategory | "",
    start_time: formatInstant({ epochMs: state.startEpochMs, nanos: state.startNanos }),
    duration_ms: totals.durationMs,
    ...(ttftMs !== undefined && {
      ttft_ms: ttftMs,
      ttft_after_ms: Math.max(0, ttftOffsetMs - earliestOffsetMs),
    }),
    ...(root !== undefined && { root: rootRemainsOf(root) }),
  };
}

function rootRemainsOf({ startEpochMs, startNanos, labels, digest }: RootSpan): RootRemains {
  const { service, env, version, spanType, status, agent, errorCategory } = labels;
  return {
    service,
    env,
    ...(version !== undefined && { version }),
    name: digest.name,
    span_type: spanType,
    status,
    start_time: formatInstant({ epochMs: startEpochMs, nanos: startNanos }),
    agent,
    error_type: errorCategory as ErrorCategory | "",
    ...(digest.input !== null && { input_text: digest.input }),
    ...(digest.output !== null && { output_text: digest.output }),
  };
}

/** Restores session, user and dropped spans of a trace that an import has just created. */
export function restoreTrace(trace: TraceRecord, remains: TraceRemains, nowMs: number): void {
  const { session_id: sessionId = "", user_id: userId = "", dropped } = remains;
  trace.setOwner({ sessionId, userId });
  if (dropped === undefined) return;
  const restored = new DroppedSpans(restoreTotals(dropped));
  restored.count = dropped.count;
  if (dropped.root !== undefined) restored.root = restoreRoot(dropped.root, nowMs);
  trace.dropped = restored;
}

function restoreTotals(dropped: DroppedRemains): TraceTotals {
  const { epochMs, nanos } = parseTimestamp(dropped.start_time) ?? { epochMs: 0, nanos: 0 };
  const { ttft_ms: ttftMs, ttft_after_ms: ttftOffsetMs } = dropped;
  return TraceTotals.fromState(
    {
      tokensInput: dropped.tokens_input,
      tokensOutput: dropped.tokens_output,
      costUsd: dropped.cost_usd,
      ...(dropped.cost_computed && { hasComputedCost: true }),
      llmCalls: dropped.llm_calls,
      toolCalls: dropped.tool_calls,
      errorCount: dropped.error_count,
      models: dropped.models.map(copyText),
      providers: dropped.providers.map(copyText),
      tools: dropped.tools.map(copyText),
      prompts: dropped.prompts.map(copyText),
      agent: copyText(dropped.agent),
      errorCategory: copyText(dropped.error_type),
      ...(ttftMs !== undefined && ttftOffsetMs !== undefined && { ttftMs, ttftOffsetMs }),
      startEpochMs: epochMs,
      startNanos: nanos,
      originEpochMs: epochMs,
      originNanos: nanos,
      earliestOffsetMs: 0,
      latestOffsetMs: dropped.duration_ms,
    },
    DroppedSpans.MAX_MODELS,
  );
}

function restoreRoot(root: RootRemains, nowMs: number): RootSpan {
  const { epochMs, nanos } = parseTimestamp(root.start_time) ?? { epochMs: 0, nanos: 0 };
  const { version, input_text: input, output_text: output } = root;
  return {
    id: NO_ID,
    startEpochMs: epochMs,
    startNanos: nanos,
    isRunning: root.status === "RUNNING",
    seenAtMs: nowMs,
    labels: {
      serial: NO_SERIAL,
      service: copyText(root.service),
      env: copyText(root.env),
      version: version === undefined ? undefined : copyText(version),
      agent: copyText(root.agent),
      spanType: copyText(root.span_type),
      status: copyText(root.status),
      errorCategory: root.error_type,
      model: "",
      provider: "",
      toolName: "",
      promptName: "",
      promptVersion: "",
      evaluationType: "",
    },
    digest: {
      name: copyText(root.name),
      input: input === undefined ? null : copyText(input),
      output: output === undefined ? null : copyText(output),
      score: null,
    },
  };
}
