import { beginSpan, type EvaluationRequest } from "./call-span.js";
import { currentContext, type ParentSpan } from "../span/context.js";
import { createFirstTokenTimer } from "./time-to-first-token.js";
import { NOOP_SPAN } from "../span/noop-span.js";
import { activeRuntime } from "../runtime/active-runtime.js";
import type { ManualSpan, SpanAttributes } from "../span/span-handle.js";

/** What the span of a model call starts with. */
export interface ModelSpanStart extends EvaluationRequest {
  /** Default `llm`. */
  readonly spanType?: "llm" | "embedding" | "retrieval" | undefined;
  readonly name: string;
  readonly attributes?: SpanAttributes | undefined;
}

/** The span of a model call. Its cost is calculated from model and tokens when it ends. */
export interface ModelSpan extends ManualSpan {
  /**
   * Records the time to the first token (`ttft_ms`). Call it for every chunk that has generated content; only the first
   * call has an effect. Does nothing if `enableTtft` is false.
   */
  markFirstToken(): void;
  /**
   * Ends the span at a time in the past, in milliseconds of the monotonic clock: the end was noticed only later.
   * Otherwise like `end()`.
   */
  endAt(monotonicMs: number): void;
}

/**
 * Starts the span of a model call, as a child of the current span. `span.run(fn)` makes it the current span.
 *
 * @returns a span that does nothing if nothing is recorded.
 */
export function startModelSpan(start: ModelSpanStart): ModelSpan {
  const runtime = activeRuntime();
  if (runtime === undefined) {
    const nothing = (): void => undefined;
    return Object.assign(Object.create(NOOP_SPAN) as ManualSpan, { markFirstToken: nothing, endAt: nothing });
  }
  const span = beginSpan(runtime, { ...start, spanType: start.spanType ?? "llm" }, undefined, startModelSpan);
  leaveUsageTo(span);
  return Object.assign(span, { ownsModelCall: true as const, markFirstToken: createFirstTokenTimer(span) });
}

/**
 * True if the calling code runs directly in the span of a model call that an integration records. One call is one span: an
 * integration that is asked to record it again records nothing. A span that the app starts with `llm()` does not count.
 */
export function isInModelSpan(): boolean {
  return currentContext()?.span?.ownsModelCall === true;
}

/**
 * Like {@link isInModelSpan}, and true inside a model run of a framework as well. The transport of a client asks this: the
 * run records the call, unless the client itself does.
 */
export function isInModelRun(): boolean {
  return currentContext()?.span?.isModelRun === true || isInModelSpan();
}

/**
 * Makes a span of `llm()` or `embedding()` around a model call end without the usage and the cost that it reads from the
 * result: they are counted once. A tool or an agent between them is another call.
 */
function leaveUsageTo({ spanType, parent }: ParentSpan): void {
  for (let outer = parent; outer !== undefined; outer = outer.parent) {
    if (outer.spanType === "tool" || outer.spanType === "agent") return;
    if (outer.spanType === spanType) outer.onEnd = dropUsage;
  }
}

function dropUsage(this: ParentSpan): void {
  for (const key of Object.keys(this.attributes))
    if (key.startsWith("tokens_")) Reflect.deleteProperty(this.attributes, key);
}
