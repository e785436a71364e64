/**
 * Sends the calls of a Node app to Obspan as spans. Start with {@link configure}, then wrap the functions that you want to
 * see: {@link llm}, {@link tool}, {@link agent}, {@link observe}.
 *
 * @packageDocumentation
 */
export { configure, configureOnce, isConfigured } from "./runtime/configure.js";
export type { ConfigureOptions } from "./config/configure-options.js";
export { RuntimeError } from "./config/runtime-error.js";
export { observe, startSpan, type SpanOptions } from "./capture/observe.js";
export { withPrompt, type Prompt } from "./capture/with-prompt.js";
export { score } from "./capture/score.js";
export type { Score } from "./capture/record-score.js";
export type {
  KnownAttributeValues,
  ManualSpan,
  SpanAttributes,
  SpanHandle,
  SpanType,
} from "./span/span-handle.js";
export {
  agent,
  embedding,
  llm,
  retrieval,
  task,
  tool,
  type ModelOptions,
  type SpanDecorator,
  type SpanWrapper,
  type WrapperOptions,
} from "./capture/span-wrappers.js";
export {
  bind,
  currentSpan,
  currentTraceparent,
  setAgent,
  setSession,
  setUser,
  withTrace,
} from "./capture/trace-context.js";
export { flush, shutdown, stats, takeSpans, type FlushOptions, type Stats } from "./runtime/delivery.js";
export type { HookState, HookStates } from "./runtime/hook-states.js";
export type { DropReason, ExporterStats } from "./export/ledger.js";
