import {
  activeRuntime,
  beginSpan,
  runInContext,
  type CallSpanStart,
  type ContextNode,
  type RecordedSpan,
} from "../../capture/integration.js";

/** What the span of a framework's run starts with. */
export interface RunSpanStart extends CallSpanStart {
  /** The context that the run starts in, as the framework reports it; undefined for a new trace. */
  readonly parent: ContextNode | undefined;
  /** When the run started, in milliseconds of the monotonic clock. Default: now. */
  readonly startedAtMs?: number | undefined;
}

/** Starts the span of a run. Returns undefined if nothing is recorded. */
export function startRunSpan({ parent, startedAtMs, ...start }: RunSpanStart): RecordedSpan | undefined {
  const runtime = activeRuntime();
  if (runtime === undefined) return undefined;
  const span = runInContext(parent, () => beginSpan(runtime, start, undefined, startRunSpan));
  if (startedAtMs !== undefined) Object.assign(span, { startedAtMs });
  return span;
}

/** Runs a step that must not disturb the app. */
export function recordSafely(step: () => void): void {
  try {
    step();
  } catch {
    // What was recorded before the error is kept.
  }
}

/** Sets the time to the first token, unless it is set or not measured. */
export function setFirstToken(span: RecordedSpan, ttftMs = performance.now() - span.startedAtMs): void {
  if (span.runtime.config.enableTtft) span.putDefault("ttft_ms", Math.round(ttftMs * 1000) / 1000);
}
