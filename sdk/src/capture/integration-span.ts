import { activeRuntime } from "../runtime/active-runtime.js";
import { NOOP_SPAN } from "../span/noop-span.js";
import type { ManualSpan } from "../span/span-handle.js";
import { beginSpan, type CallSpanStart } from "./call-span.js";

/**
 * Starts a span that is not a model call, as a child of the current span.
 *
 * @returns a span that does nothing if nothing is recorded.
 */
export function startSpan(start: CallSpanStart): ManualSpan {
  const runtime = activeRuntime();
  return runtime === undefined ? NOOP_SPAN : beginSpan(runtime, start, undefined, startSpan);
}
