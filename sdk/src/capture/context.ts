import type { AsyncLocalStorage } from "node:async_hooks";
import type { RecordedSpan } from "./recorded-span.js";
import { sharedState } from "./shared-state.js";

/** What the spans of one trace have in common, within this process. */
export interface TraceState {
  readonly traceId: string;
  /** Milliseconds from the monotonic clock to the Unix epoch, taken once a trace: its spans never overlap wrongly. */
  readonly clockOffsetMs: number;
  /** The W3C flags to pass on, two hexadecimal digits. */
  readonly flags: string;
  sessionId: string | undefined;
  userId: string | undefined;
  agent: string | undefined;
}

/** Where code runs: inside a span, or inside a trace that another process has begun. */
export interface ContextNode {
  readonly trace: TraceState;
  /** The span that new spans become children of; empty where the trace has none yet. */
  readonly spanId: string;
  /** Absent where the parent is in another process. */
  readonly span: RecordedSpan | undefined;
}

/** The context that the calling code runs in. */
export function currentContext(): ContextNode | undefined {
  return sharedState.context.getStore();
}

/** Runs a function in a context; `undefined` runs it outside of all. */
export function runInContext<T>(node: ContextNode | undefined, fn: () => T): T {
  const storage: AsyncLocalStorage<ContextNode | undefined> = sharedState.context;
  return storage.run(node, fn);
}
