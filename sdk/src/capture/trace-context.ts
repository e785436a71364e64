import { currentContext, runInContext, type ContextNode } from "./context.js";
import { NOOP_SPAN } from "./noop-span.js";
import type { SpanHandle } from "./span-handle.js";
import { newTrace } from "./start-span.js";
import { warnOnce } from "./warnings.js";

/**
 * W3C trace context: version, trace id, parent id, flags. Ids of zeros and version ff are not valid; version 00 ends with
 * the flags, a later one may say more behind them.
 */
const TRACEPARENT =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/** The span that the calling code runs in; one that does nothing where there is none. */
export function currentSpan(): SpanHandle {
  return currentContext()?.span ?? NOOP_SPAN;
}

/**
 * The W3C `traceparent` header for a request to another service, so that its spans join the running trace.
 *
 * @returns undefined outside of every trace.
 */
export function currentTraceparent(): string | undefined {
  const node = currentContext();
  if (node === undefined || node.spanId === "") return undefined;
  return `00-${node.trace.traceId}-${node.spanId}-${node.trace.flags}`;
}

/**
 * Runs a function inside the trace that a `traceparent` header names, as a child of its span. Without a header, or with
 * one that is not valid, a new trace begins: one request, one trace, whatever comes in.
 *
 * @param traceparent - the header as it came; of a repeated one, nothing is taken.
 */
export function withTrace<T>(traceparent: string | readonly string[] | null | undefined, fn: () => T): T {
  return runInContext(readTraceparent(traceparent), fn);
}

function readTraceparent(header: unknown): ContextNode {
  const [, traceId, spanId = "", flags] =
    (typeof header === "string" && TRACEPARENT.exec(header.trim())) || [];
  return { trace: newTrace(traceId, flags), spanId, span: undefined };
}

/** Names the session that the running trace belongs to: all its spans that have not ended carry it. */
export function setSession(sessionId: string): void {
  setOnTrace("sessionId", sessionId);
}

/** Names the user that the running trace is for: all its spans that have not ended carry the id. */
export function setUser(userId: string): void {
  setOnTrace("userId", userId);
}

/** Names the agent of the running trace. Spans inside an `agent` wrapper keep its name. */
export function setAgent(agent: string): void {
  setOnTrace("agent", agent);
}

function setOnTrace(key: "sessionId" | "userId" | "agent", value: string): void {
  const trace = currentContext()?.trace;
  if (trace !== undefined) trace[key] = value;
  else warnOnce(key, `${key} was set outside of every span: set it inside one, or inside withTrace().`);
}
