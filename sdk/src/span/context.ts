import { AsyncLocalStorage, CAN_ENTER } from "../platform/async-local-storage.js";
import { processWide } from "../process-wide.js";
import type { Attributes } from "../wire/index.js";
import type { SpanAttributes, SpanHandle } from "./span-handle.js";

/** What the spans of one trace share within this process. */
export interface TraceState {
  readonly traceId: string;
  /**
   * Milliseconds from the monotonic clock to the Unix epoch. Taken once a trace, so that a change of the system clock
   * cannot make its spans overlap wrongly.
   */
  readonly clockOffsetMs: number;
  /** The W3C flags to pass on, two hexadecimal digits. */
  readonly flags: string;
  sessionId: string | undefined;
  userId: string | undefined;
  agent: string | undefined;
}

/** What a span reads and changes on the spans that it runs inside. */
export interface ParentSpan extends SpanHandle {
  readonly agent: string | undefined;
  readonly parent: ParentSpan | undefined;
  readonly spanType: string;
  readonly attributes: Attributes;
  /** Runs when the span ends, before the exporter gets it. */
  onEnd: (() => void) | undefined;
  /** True for the span that an integration records a model call with: the layers below record nothing more. */
  readonly ownsModelCall?: true;
  /** True for the span of a framework's run that records its model call, unless a client that it calls does. */
  readonly isModelRun?: true;
  /** Errors that spans inside this one recorded and counted, causes included, newest last. */
  errorsInside: readonly unknown[];
}

/** Where code runs: inside a span, or inside a trace that another process started. */
export interface ContextNode {
  readonly trace: TraceState;
  /** The parent of new spans; empty if the trace has no span yet. */
  readonly spanId: string;
  /** Absent if the parent is in another process. */
  readonly span: ParentSpan | undefined;
  /** Set on the model calls inside. */
  readonly prompt?: SpanAttributes | undefined;
}

const storage = processWide("context", () => new AsyncLocalStorage<ContextNode | undefined>());

/** Joins the contexts of another tracer with those of the SDK. */
export interface ContextBridge {
  /** The context that the calling code runs in. @param own - the one that the SDK knows. */
  current(own: ContextNode | undefined): ContextNode | undefined;
  /** Runs a function of which the SDK says that it runs in a context. */
  run<T>(node: ContextNode | undefined, fn: () => T): T;
  /** Called with a context that an integration enters: the code that follows runs in it. */
  enter(node: ContextNode | undefined): void;
  /** Called before the first context is entered. */
  prepareEntering(): void;
}

const bridges = processWide<{ bridge?: ContextBridge }>("bridges", () => ({}));

/** Joins contexts from now on. One bridge for a process: further ones are ignored. */
export function setContextBridge(bridge: ContextBridge): void {
  bridges.bridge ??= bridge;
}

/** The context that the calling code runs in. */
export function currentContext(): ContextNode | undefined {
  const own = storage.getStore();
  return bridges.bridge === undefined ? own : bridges.bridge.current(own);
}

/** Runs a function in a context; `undefined` runs it outside every span. */
export function runInContext<T>(node: ContextNode | undefined, fn: () => T): T {
  const { bridge } = bridges;
  return storage.run(node, bridge === undefined ? fn : () => bridge.run(node, fn));
}

/**
 * Whether a span that starts here can become the context by {@link enterContext}, and its parent afterwards, which takes no
 * frame of the stack: {@link runInContext} takes three. Not if contexts are joined, or if the parent of the span is not the
 * context of the calling code, but one that has it.
 */
export function canEnterSpan(): boolean {
  const node = storage.getStore();
  return CAN_ENTER && bridges.bridge === undefined && node === node?.span;
}

/** Makes a span the context of the calling code. */
export function enterContext(span: ParentSpan | undefined): void {
  storage.enterWith(span as ContextNode | undefined);
}
