import { currentContext, runInContext, type ContextNode } from "../span/context.js";
import { NOOP_SPAN } from "../span/noop-span.js";
import type { SpanHandle } from "../span/span-handle.js";
import { newTrace } from "../span/start-span.js";
import { copyProperties, type AnyFunction } from "./wrap-function.js";
import { warnOnce } from "../warnings.js";

/**
 * W3C trace context: version, trace id, parent id, flags. Ids of zeros and version ff are invalid. Version 00 ends with the
 * flags; a later version may have more fields.
 */
const TRACEPARENT =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/**
 * The span that the calling code runs in. Outside every span it returns a span that does nothing.
 *
 * @example
 * ```ts
 * currentSpan().setAttribute("cart", 3);
 * ```
 */
export function currentSpan(): SpanHandle {
  return currentContext()?.span ?? NOOP_SPAN;
}

/**
 * The W3C `traceparent` header for a request to another service, whose spans then join the current trace.
 *
 * @returns undefined outside every trace.
 *
 * @example
 * ```ts
 * await fetch(url, { headers: { traceparent: currentTraceparent() ?? "" } });
 * ```
 */
export function currentTraceparent(): string | undefined {
  const node = currentContext();
  if (node === undefined || node.spanId === "") return undefined;
  return `00-${node.trace.traceId}-${node.spanId}-${node.trace.flags}`;
}

/**
 * Runs a function inside the trace of a `traceparent` header, as a child of its span. Without a header, or with an invalid
 * one, it starts a new trace.
 *
 * @param traceparent - the received header. A repeated header (an array) counts as invalid.
 *
 * @example
 * ```ts
 * server.on("request", (request, response) => {
 *   withTrace(request.headers.traceparent, () => handle(request, response));
 * });
 * ```
 */
export function withTrace<T>(traceparent: string | readonly string[] | null | undefined, fn: () => T): T {
  return runInContext(readTraceparent(traceparent), fn);
}

/**
 * Returns a function that runs in the context of the caller of `bind()`, whenever and wherever it is called. Use it for
 * callbacks that something else calls: a queue, a pool, an event emitter.
 *
 * @example
 * ```ts
 * queue.add(bind(() => answer(question))); // a child of the current span
 * ```
 */
export function bind<F extends AnyFunction>(fn: F): F {
  const context = currentContext();
  const bound = function (this: unknown, ...args: unknown[]): unknown {
    return runInContext(context, () => Reflect.apply(fn, this, args) as unknown);
  };
  return copyProperties(bound, fn) as unknown as F;
}

function readTraceparent(header: unknown): ContextNode {
  const [, traceId, spanId = "", flags] =
    (typeof header === "string" && TRACEPARENT.exec(header.trim())) || [];
  return { trace: newTrace(traceId, flags), spanId, span: undefined };
}

/**
 * Sets the session of the current trace: `session_id` of all its spans that have not ended.
 *
 * @example
 * ```ts
 * setSession(conversation.id);
 * ```
 */
export function setSession(sessionId: string): void {
  setOnTrace("sessionId", sessionId);
}

/**
 * Sets the user of the current trace: `user_id` of all its spans that have not ended.
 *
 * @example
 * ```ts
 * setUser(request.user.id);
 * ```
 */
export function setUser(userId: string): void {
  setOnTrace("userId", userId);
}

/**
 * Sets the agent of the current trace. Spans inside an `agent` wrapper keep the name of that agent.
 *
 * @example
 * ```ts
 * setAgent("support");
 * ```
 */
export function setAgent(agent: string): void {
  setOnTrace("agent", agent);
}

function setOnTrace(key: "sessionId" | "userId" | "agent", value: string): void {
  const trace = currentContext()?.trace;
  if (trace !== undefined) trace[key] = value;
  else warnOnce(key, `${key} was set outside every span: set it inside a span.`);
}
